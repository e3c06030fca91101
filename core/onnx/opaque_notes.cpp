#include "core/onnx/opaque_notes.h"

#include "core/ops/opaque.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

std::string named(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

}  // namespace

std::vector<Note> opaque_notes(const graph::Graph& graph) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // as they are met
  std::vector<std::string> readers;
  std::string first_reader;
  for (const graph::NodePtr& node : graph.nodes()) {
    if (!is_opaque(*node)) continue;
    const Diagnostic reason = ops::opaque_reason(node->attributes);
    if (reason.code == Code::OperandTypeUnknown) {
      if (readers.empty()) first_reader = reason.what;
      readers.push_back(node->name);
      continue;
    }
    const std::string why = fmt::format("({}): {}: {}", operator_name(*node),
                                        code_name(reason.code), reason.what);
    auto known = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& entry) { return entry.first == why; });
    if (known == reasons.end()) known = reasons.insert(reasons.end(), {why, {}});
    known->second.push_back(node->name);
  }
  std::vector<Note> notes;
  for (const auto& [why, names] : reasons)
    notes.push_back({fmt::format("opaque: {} {}", named(names), why)});
  if (!readers.empty())
    notes.push_back({fmt::format("opaque with them: {}: {}: {}", named(readers),
                                       code_name(Code::OperandTypeUnknown), first_reader)});
  return notes;
}

}  // namespace loopglass::onnx
