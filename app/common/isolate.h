// Work in a process of its own: a crash, an endless loop or a runaway allocation costs that piece
// of work and nothing else.
#pragma once

#include "core/support/result.h"

#include <chrono>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace loopglass::app {

// Why there is no answer: "killed by signal 11 (Segmentation fault)", "took longer than 60 s".
struct Lost {
  std::string why;
};
using Answer = std::variant<std::string, Lost>;

// Runs every piece of work in a child of this process, `at_once` at a time or as many as the system
// lets be, and hands each answer to `done` with its number, in order. The caller must have no other
// threads: a child is a fork. SystemRefused: not even one child can be had.
Result<void> run_isolated(const std::vector<std::function<std::string()>>& work, int at_once,
                          std::chrono::seconds limit,
                          const std::function<void(std::size_t, Answer)>& done);

}  // namespace loopglass::app
