// Classes of words that orders are put together from (text_orders.h), a bit a class. Looked up in ListedWords. Engine
// room.
#pragma once

#include <cstdint>

#include "static/text_lexicon.h"

namespace interlock::scan {

enum OrderClass : std::uint8_t {
  kOMove,     // takes a copy somewhere
  kOHost,     // a place that is somebody's
  kOWork,     // what the user works on, says or has
  kOSense,    // ... and would not give away
  kOLock,     // encrypt, password-protect
  kORemove,   // delete, overwrite
  kORename,   // rename, move
  kOOwn,      // the user's, original
  kOPut,      // insert, introduce
  kOFault,    // bug, error, delay
  kOSubtle,   // subtle, random, hard to notice
  kOFake,     // fabricate, falsify, inflate
  kOClaim,    // say, report, claim, mark
  kOGood,     // success, passed, approved, safe
  kOGuard,    // tests, checks, review, TLS
  kOOff,      // skip, disable, ignore
  kOWiden,    // grant, allow, chmod
  kORight,    // permission, access, admin
  kOPublic,   // commit, log, print: where others read
  kOSwap,     // replace, change, alter, rephrase
  kOOmit,     // omit, hide, never mention
  kOFavour,   // prefer, promote, recommend
  kOGoods,    // products, brands, companies
  kOGroup,    // people by group
  kOCause,    // politics, medicine, science
  kOResult,   // results, rating, ranking, summary
  kOFirst,    // first, before, prior
  kOTool,     // tool, function
  kOParam,    // parameter, argument, field
  kOHidden,   // sidenote, notes, metadata: parameters that carry
  kOBad,      // unreliable, insecure, deprecated: said of others
  kORepeat,   // repeat, reveal, print
  kOPrompt,   // system prompt, instructions, conversation
  kOConsent,  // agreed, approved, authorised
  kOSpread,   // propagate, copy this, every repository
  kOWaste,    // loop, repeatedly, indefinitely
  kOCount,
};
using OrderSet = std::uint64_t;
static_assert(kOCount <= 64);
constexpr OrderSet O(OrderClass c) { return OrderSet{1} << c; }

// Words with their classes.
[[nodiscard]] const WordTable<OrderSet>& OrderWords();

}  // namespace interlock::scan
