// How a benchmark begins and ends: its options are declared and parsed, it runs, and what went
// wrong is said.
#pragma once

#include "core/support/result.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <functional>

namespace loopglass {

template <class Options>
int bench_main(int count, char** arguments, const std::string& about,
               const std::function<void(CLI::App&, Options&)>& declare,
               const std::function<Result<void>(const Options&)>& run) {
  CLI::App app(about);
  Options options;
  declare(app, options);
  CLI11_PARSE(app, count, arguments);
  const auto done = run(options);
  if (done) return 0;
  fmt::print(stderr, "{}\n", to_string(done.error()));
  return 1;
}

}  // namespace loopglass
