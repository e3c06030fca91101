// What two processes say to each other, over a socket or a pair of pipes: frames.
//
//   4 bytes  "LGFR"
//   4        version of what is said
//   8        number: an answer has that of its question
//   8, 8, 8  how long the three parts are
//   ...      the job, a word; the text, JSON; the bytes, as the job has them
//
// Integers are as the machine has them: both ends run on one. A frame comes whole or not at all,
// and what one end claims about lengths makes the other allocate no more than has arrived.
#pragma once

#include "core/support/cancellation.h"

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>

namespace loopglass::measure {

inline constexpr std::uint32_t frame_version = 2;
inline constexpr std::uint64_t longest_job = 64, longest_text = 64 << 20,
                               longest_bytes = std::uint64_t{4} << 30;

struct Frame {
  std::uint64_t number = 0;
  std::string job, text, bytes;
};

enum class FrameProblem : std::uint8_t {
  Closed,        // between two frames
  Torn,          // in the middle of one
  Unreadable,    // it is no frame, or longer than any
  OtherVersion,  // the other end is another program
  Late,
  Cancelled,
  Refused  // the system says no
};
struct BadFrame {
  FrameProblem problem;
  std::string what;  // a sentence
};

// How long one waits for the other end, where the descriptor is one that does not block.
struct Patience {
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  Cancellation cancellation = {};
};

std::expected<Frame, BadFrame> read_frame(int descriptor, const Patience& patience = {});
// A reader that is gone is Closed, and no signal.
std::expected<void, BadFrame> write_frame(int descriptor, const Frame& frame,
                                          const Patience& patience = {});

}  // namespace loopglass::measure
