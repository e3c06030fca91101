// What keeps the kernels of a network from the roofs, as a session keeps it: with what it is of.
#pragma once

#include "core/kernel_verdict.h"
#include "core/saved_times.h"

namespace loopglass {

// A kernel's verdict, and those before it, of other schedules or of other turns; the oldest first.
struct JudgedKernel {
  KernelVerdict newest;
  std::vector<roofline::Verdict> earlier;
  friend bool operator==(const JudgedKernel&, const JudgedKernel&) = default;
};

struct SavedRoofline {
  std::string when;  // "2026-11-23 14:02", by the clock on the wall
  MeasuredOf of;     // the schedules each kernel's verdict says itself
  int threads = 1;
  roofline::Roofs roofs;
  std::vector<JudgedKernel> kernels;
  friend bool operator==(const SavedRoofline&, const SavedRoofline&) = default;
};

// JSON, an object; parses back to equal ones.
std::string to_json(const SavedRoofline& roofline);
// SessionCorrupt, with the place below `path` where something is wrong.
Result<SavedRoofline> roofline_from_json(std::string_view text, const std::string& path);

}  // namespace loopglass
