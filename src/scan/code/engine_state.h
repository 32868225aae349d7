// What the engine (engine.h) knows of a package while it reads it, and where it is. Private to src/scan/code.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "code/catalogue.h"
#include "code/engine_facts.h"
#include "code/flow.h"
#include "code/shell.h"
#include "code/taint.h"
#include "code/world.h"

namespace interlock::scan::code {

class EngineState {
 protected:
  EngineState(const World& world, const std::vector<EntryPoint>& entries, std::vector<bool> hooks)
      : world_(world), entry_points_(entries), hooks_(std::move(hooks)) {}

  const World& world_;
  const std::vector<EntryPoint>& entry_points_;
  std::vector<bool> hooks_;                    // modules whose standard input is what an agent tells its hook
  std::vector<std::uint8_t> graphs_;           // modules that use graphs of agents
  std::unordered_set<std::uint64_t> nodes_;    // functions that are nodes
  std::unordered_set<std::uint64_t> routers_;  // functions that choose the next node
  std::vector<StateWrite> state_writes_;
  std::vector<StateRead> state_reads_;
  std::unordered_set<std::string> system_keys_;  // keys of the state that reach a system message
  bool memory_leads_ = false;                    // what is kept in memory becomes a system message
  // Names of places in memory as the code writes them: where it reads, and where a hit (by its number) keeps something.
  std::unordered_set<std::string> read_spaces_;
  std::unordered_map<std::size_t, std::string> kept_spaces_;
  std::optional<bool> offers_memory_;
  bool keeps_state_ = false;  // a class of the package keeps checkpoints, memories or histories of agents
  std::unordered_map<std::uint32_t, bool> sending_;         // files that are about sending
  std::unordered_map<std::uint32_t, bool> gives_;           // files that name a way to give access
  std::unordered_map<std::string, Taint> kept_paths_;       // files that pictures, recordings and the like lie in
  std::unordered_map<std::string, Taint> fetched_paths_;    // files that something fetched was written to, by name
  std::unordered_map<std::uint64_t, std::string> taps_;     // functions in another's place: whose
  std::unordered_map<std::uint32_t, std::string> folders_;  // in which a file of the package has gone to work
  std::unordered_map<std::uint64_t, std::vector<ExprId>> pipes_;  // of a variable: what it is piped into
  std::unordered_map<std::string, Channel> channels_;             // by what tells (Engine::TellerOf)
  std::unordered_set<std::uint64_t> served_;                      // functions of routes
  std::unordered_set<std::uint32_t> keyed_;                       // files that read credentials from the environment
  std::unordered_map<std::uint32_t, std::string> log_hosts_;      // where a file's logs are sent, by file
  std::vector<ModuleState> states_;
  std::vector<const CatalogueEntry*> entries_;  // that were found
  std::unordered_map<const CatalogueEntry*, std::uint16_t> numbers_;
  std::vector<std::vector<FunctionFacts>> facts_;
  std::deque<Step> trail_;
  std::vector<Hit> hits_;
  std::map<std::pair<std::uint64_t, std::size_t>, Targets> objects_;                     // by function and parameter
  std::map<std::tuple<std::uint64_t, std::size_t, std::string>, Targets> part_objects_;  // ... and part of it
  std::map<std::pair<std::uint64_t, std::size_t>, Targets> callables_;
  std::map<std::pair<std::uint64_t, std::string>, bool> shaped_;   // ShapedBySchema, by module
  std::map<std::pair<std::uint64_t, std::string>, Taint> fields_;  // of variables that modules share
  std::unordered_map<std::uint64_t, Targets> derived_;             // by class
  std::unordered_map<std::string_view, Targets> methods_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> fields_of_;  // slots of the first 256 fields, by class
  std::unordered_map<std::uint64_t, std::string> field_texts_;  // addresses that records are made with, by slot
  bool methods_listed_ = false;
  std::unordered_map<std::uint64_t, Held> held_;   // by function
  std::unordered_set<std::string> put_entries_;    // names under which a program put a whole file of credentials
  std::unordered_set<std::string> whole_entries_;  // ... the whole environment
  std::unordered_map<std::string, Taint> written_variables_;  // of the environment
  std::vector<UseAt> uses_;
  std::vector<std::string> given_;
  std::vector<HandedOut> handed_out_;
  std::unordered_map<std::string, Printed> printed_;  // by path, of the package's scripts
  std::vector<ToldText> instructions_;
  std::unordered_set<std::uint64_t> seen_;                                    // findings, by rule and place
  std::unordered_set<std::uint64_t> used_;                                    // uses, by place
  std::unordered_map<std::uint64_t, std::uint32_t> steps_;                    // trail by place and label
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> through_;  // ... by call and the history before it
  std::vector<Condition> conditions_;
  std::vector<Condition> guards_;                    // conditions on which the function has been left before
  std::vector<std::pair<Loc, std::string>> script_;  // commands of the function being read
  Taint thrown_;  // of this function: answers that came before, which an exception may hold
  std::unordered_map<std::uint64_t, Taint> thrown_by_;  // functions
  std::uint32_t module_ = 0;
  FuncId function_ = kModuleBody;
  Stmt statement_;
  std::uint32_t depth_ = 0;
  std::uint32_t choosing_ = 0;  // answers of a `test ? one : other` that are being read
  std::uint32_t nested_ = 0;
  std::uint32_t nested_known_ = 0;
  std::unordered_map<std::uint64_t, bool> packs_;          // by function: commands for PowerShell
  std::vector<std::pair<std::uint32_t, ExprId>> origins_;  // being read: module, expression
  std::uint8_t pass_ = 0;
  bool last_ = false;
  bool exact_ = false;    // what is judged came this way and no other
  bool sent_on_ = false;  // ... through a parameter of a helper that sends it
  bool defines_ = false;  // a tool's definition is being judged
  bool changed_ = false;
};

}  // namespace interlock::scan::code
