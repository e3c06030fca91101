#include "core/request.h"

#include "core/support/shell_word.h"

#include <fmt/format.h>

namespace loopglass {
namespace {

std::string bytes_word(std::int64_t bytes) {
  constexpr std::int64_t mebibyte = 1 << 20;
  return bytes % mebibyte == 0 ? fmt::format("{}MiB", bytes / mebibyte) : fmt::format("{}", bytes);
}

}  // namespace

Request in_short(Request request, const Toolchain& toolchain) {
  const auto leave_out = [](std::string& name, const auto& table) {
    if (!table.empty() && name == table.front().name) name.clear();
  };
  leave_out(request.pipeline, toolchain.presets);
  leave_out(request.strategy, toolchain.strategies);
  leave_out(request.edits.base, toolchain.strategies);
  return request;
}

std::string graph_words(const Request& request) {
  std::string words;
  for (const std::string& option : onnx::options_of(request.inputs)) words += " " + option;
  if (!request.subgraph.empty()) words += " --subgraph " + shell_word(request.subgraph);
  if (!request.pipeline.empty()) words += " --passes " + shell_word(request.pipeline);
  if (request.memory_limit) words += " --memory-limit " + bytes_word(*request.memory_limit);
  return words;
}

std::string plan_words(const Request& request) {
  std::string words;
  const std::string& strategy = request.uses_edits() ? request.edits.base : request.strategy;
  if (!strategy.empty()) words += " --strategy " + shell_word(strategy);
  for (const std::string& edge : request.forced) words += " --force " + shell_word(edge);
  for (const std::string& edge : request.forbidden) words += " --forbid " + shell_word(edge);
  if (request.uses_edits())
    for (const fusion::Edit& edit : request.edits.edits)
      words += " --edit " + shell_word(fusion::to_text(edit));
  return words;
}

std::string fuse_command(const Request& request) {
  return "loopglassc fuse " + shell_word(request.model) + graph_words(request) +
         plan_words(request);
}

}  // namespace loopglass
