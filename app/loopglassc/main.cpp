#include "app/common/conformance.h"

#include <fmt/format.h>

int main(int argc, char** argv) {
  using namespace loopglass;
  if (argc < 3 || std::string(argv[1]) != "conformance") return 2;
  const std::string filter = argc > 3 ? argv[3] : "";
  auto cases = app::find_cases(argv[2]);
  if (!cases) { fmt::print(stderr, "{}\n", to_string(cases.error())); return 3; }
  int counts[3] = {}, bound = 0;
  for (const auto& folder : *cases) {
    if (folder.string().find(filter) == std::string::npos) continue;
    const auto result = app::run_case(folder, app::interpret_model);
    ++counts[static_cast<int>(result.outcome)];
    bound += result.outcome == app::Outcome::Passed && !result.inputs_bound.empty();
    if (result.outcome != app::Outcome::Passed) fmt::print("{:<11} {}  {}\n", app::name(result.outcome), result.name, result.message);
  }
  fmt::print("inputs were bound as constants in {} of the passed cases\n", bound);
  fmt::print("{} passed, {} failed, {} unsupported\n", counts[0], counts[1], counts[2]);
  return counts[1] == 0 ? 0 : 1;
}
