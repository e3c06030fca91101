// A worker: a process that answers what comes in on one descriptor on another, until nobody asks
// any more.
//
// Whoever started it may die in any way: the system then closes the other end, a thread that does
// nothing else notices, and the worker ends, whatever it is doing. (The signal that Linux can send
// on a parent's death comes when the thread dies that started the child, which for a window's job
// is soon.)
#pragma once

#include "core/measure/frame.h"

#include <functional>
#include <map>
#include <string>

namespace loopglass::measure {

// Says meanwhile how far it is, as often as it likes: before the answer come frames of the job
// "progress", of which only the text and the bytes are the job's own.
using Tell = std::function<void(Frame progress)>;
// By name. What a job throws is told as a frame of the job "defect".
using Job = std::function<Frame(const Frame& request, const Tell& tell)>;
using Jobs = std::map<std::string, Job, std::less<>>;

// What a worker says first, once it can be asked.
inline constexpr std::string_view hello_job = "hello";
inline constexpr std::string_view progress_job = "progress";
inline constexpr std::string_view defect_job = "defect";

// What the process ends with: 0, nobody asks any more; 2, what came cannot be read.
int serve(int in, int out, const Jobs& jobs);

// The same over stdin and stdout, which belong to the frames from here on: what is printed
// meanwhile goes to stderr. The process does nothing else.
int serve_standard_streams(const Jobs& jobs);

}  // namespace loopglass::measure
