// --library: kernels that a library of hand-written ones computes in the place of generated code.
#pragma once

#include "app/common/arguments.h"
#include "app/common/exit_codes.h"
#include "core/library/choice.h"
#include "core/session.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace loopglass::app {

// Adds --library [KERNEL=]NAME.
void add_library(Command command, std::vector<std::string>& asked);

struct LibraryNetwork {
  library::Library* library;
  std::shared_ptr<const runtime::CompiledNetwork> generated;  // by the compiler alone
  library::Chosen chosen;
  int threads = 1;

  std::size_t taken() const;  // kernels that are the library's
};

// Compares and chooses, on as many threads as `pool` has. UsageInvalid where several libraries are
// named; as Session::network() where kernels are missing; LibraryMissing; LibraryRefused where a
// kernel that is named cannot be the library's.
Result<LibraryNetwork> choose_by_library(Session& session, const std::vector<std::string>& asked,
                                         runtime::ThreadPool& pool, const Progress& progress,
                                         const Cancellation& cancellation, Missing when_missing);

// "oneDNN 2.6.3 computes 3 of 54 kernels"
std::string words_on(const LibraryNetwork& network);
// Which kernels make a number of NaN where generated code keeps it; nothing: none.
std::optional<std::string> note_on_nan(const LibraryNetwork& network, const fusion::Plan& plan);
// {library, version, instruction_set, threading_runtime, kernels: [...]}
nlohmann::ordered_json to_json(const LibraryNetwork& network, const fusion::Plan& plan);

struct LibraryBenchOptions {
  std::vector<std::string> asked;
  int threads = 1, rounds = 10, warm_up = 2;
  std::size_t kernels = 0;  // that are listed
  bool json = false;
  std::map<std::string, Tensor> inputs = {};  // of the network, by name; the others are random
};
// loopglassc bench --library: the network with the library's kernels and by generated code alone,
// in turns, and why each kernel is whose it is.
Result<Exit> bench_by_library(Session& session, const LibraryBenchOptions& options);

}  // namespace loopglass::app
