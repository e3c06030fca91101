// What passes decided and why, as the commands print it.
#pragma once

#include "core/codegen/llvm_remarks.h"

#include <string>
#include <string_view>

namespace loopglass::app {

std::string_view name(pass::RemarkKind kind);
// missed UNROLL_OVER_BUDGET y: 'y' stays a loop: ...
std::string to_text(const pass::Remark& remark);
// missed loop-vectorize MissedDetails: loop not vectorized (3 times)
std::string to_text(const codegen::LlvmRemark& remark);

template <class Json>
Json remark_json(const pass::Remark& remark) {
  Json numbers = Json::object();
  for (const auto& [key, value] : remark.numbers) numbers[key] = value;
  return {{"kind", name(remark.kind)},
          {"code", remark.code},
          {"entity", remark.entity},
          {"numbers", numbers},
          {"text", remark.text}};
}

}  // namespace loopglass::app
