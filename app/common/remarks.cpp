#include "app/common/remarks.h"

#include <fmt/format.h>

namespace loopglass::app {

std::string_view name(pass::RemarkKind kind) {
  switch (kind) {
    case pass::RemarkKind::Applied: return "applied";
    case pass::RemarkKind::Missed: return "missed";
    case pass::RemarkKind::Note: return "note";
  }
  __builtin_unreachable();
}

std::string to_text(const pass::Remark& remark) {
  return fmt::format("{} {} {}: {}", name(remark.kind), remark.code, remark.entity, remark.text);
}

std::string to_text(const codegen::LlvmRemark& said) {
  const pass::Remark& remark = said.remark;
  return fmt::format("{} {} {}: {}{}", name(remark.kind), said.pass, remark.code, remark.text,
                     said.times > 1 ? fmt::format(" ({} times)", said.times) : "");
}

}  // namespace loopglass::app
