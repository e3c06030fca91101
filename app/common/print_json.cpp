#include "app/common/print_json.h"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

bool has_printed = false;

// "OperatorUnsupported"
std::string_view word(Code code) {
  switch (code) {
#define CODE(name, number, title) \
  case Code::name: return #name;
    LOOPGLASS_DIAGNOSTIC_CODES(CODE)
#undef CODE
  }
  __builtin_unreachable();
}

}  // namespace

void print_document(const std::string& json) {
  has_printed = true;
  fmt::print("{}\n", json);
}

bool asks_for_json(int argc, const char* const* argv) {
  const auto words = argv + 1, end = argv + std::max(argc, 1);
  return std::any_of(words, std::find(words, end, std::string_view("--")),
                     [](std::string_view word) { return word == "--json"; });
}

void print_error_json(const Diagnostic& diagnostic, int exit_code) {
  if (has_printed) return;
  using Json = nlohmann::ordered_json;
  const auto or_null = [](const std::string& words) {
    return words.empty() ? Json() : Json(words);
  };
  const Json json{{"schema", identifier(Schema::Error)},
                  {"error",
                   {{"code", code_name(diagnostic.code)},
                    {"name", word(diagnostic.code)},
                    {"what", diagnostic.what},
                    {"where", or_null(diagnostic.where)},
                    {"hint", or_null(diagnostic.hint)},
                    {"exit", exit_code}}}};
  print_document(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace loopglass::app
