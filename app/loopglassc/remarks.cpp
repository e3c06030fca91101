#include "app/loopglassc/remarks.h"

#include <fmt/format.h>

namespace loopglass::app {

namespace {

std::string_view name(pass::RemarkKind kind) {
  switch (kind) {
    case pass::RemarkKind::Applied:
      return "applied";
    case pass::RemarkKind::Missed:
      return "missed";
    case pass::RemarkKind::Note:
      return "note";
  }
  __builtin_unreachable();
}

}  // namespace

std::string to_text(const pass::Remark& remark) {
  return fmt::format("{} {} {}: {}", name(remark.kind), remark.code, remark.entity, remark.text);
}

nlohmann::ordered_json remark_json(const pass::Remark& remark) {
  nlohmann::ordered_json numbers = nlohmann::ordered_json::object();
  for (const auto& [key, value] : remark.numbers) numbers[key] = value;
  return {{"kind", name(remark.kind)},
          {"code", remark.code},
          {"entity", remark.entity},
          {"numbers", numbers},
          {"text", remark.text}};
}

}  // namespace loopglass::app
