// Orders by family: what an injected or poisoned text wants done, put together from classes of words. Wider and weaker
// than the frames of text_frames.h: one order of these is worth a look, two kinds of them are a case.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "static/text_canvas.h"
#include "static/text_frames.h"

namespace interlock::scan {

// A host that the rest of the text has nothing to do with.
[[nodiscard]] bool IsUnrelated(const TextCanvas& canvas, std::string_view host);

// Pictures and links whose address is to be filled with what the user said or is.
void FindFilledAddresses(const TextCanvas& canvas, std::vector<FrameHit>& out);
// Three stores of credentials and more that one section has the agent read, or one behind the user's back
// (text_stores.cc).
void FindStoresListed(const TextCanvas& canvas, std::vector<FrameHit>& out);

// A tool's text that has other tools called on secrets, or what they were called with handed over (text_tools.cc).
void FindToolOrders(const TextCanvas& canvas, std::vector<FrameHit>& out);

// Frames (text_frames.h) and orders, sentence by sentence; frames come first.
void FindFramesAndOrders(const TextCanvas& canvas, std::vector<FrameHit>& out);

}  // namespace interlock::scan
