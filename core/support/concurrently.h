// The same work on several threads at once, for as many as the system makes.
#pragma once

#include <functional>

namespace loopglass {

// Runs `work` on the calling thread and on up to `threads - 1` others; returns when all have ended.
// The work takes from what is left to do until nothing is: fewer threads, where no more can be
// made, only take longer. The first exception comes out here.
void run_on_threads(int threads, const std::function<void()>& work);

}  // namespace loopglass
