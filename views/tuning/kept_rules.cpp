#include "views/tuning/kept_rules.h"

#include "core/support/whole_file.h"

#include <fmt/format.h>

#include <fstream>

namespace loopglass::views {

namespace {

constexpr std::string_view pin = "--pin ", ban = "--ban ";

}  // namespace

std::filesystem::path rules_folder(const std::filesystem::path& folder) { return folder / "rules"; }

std::filesystem::path rules_file(const std::filesystem::path& folder, const std::string& workload) {
  return rules_folder(folder) / (workload + ".rules");
}

Result<void> keep_rules(const std::filesystem::path& file,
                        const std::vector<tune::KnobRule>& rules) {
  std::string lines;
  for (const tune::KnobRule& rule : rules)
    lines +=
        fmt::format("{}{}\n", rule.kind == tune::KnobRule::Kind::Pin ? pin : ban, to_text(rule));
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  WholeFile whole = TRY(WholeFile::create(file));
  TRY_VOID(whole.write(lines));
  return whole.put_in_place();
}

std::vector<tune::KnobRule> kept_rules(const std::filesystem::path& file) {
  std::vector<tune::KnobRule> rules;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const bool is_pin = line.starts_with(pin);
    if (!is_pin && !line.starts_with(ban)) continue;
    const auto rule =
        tune::knob_rule(is_pin ? tune::KnobRule::Kind::Pin : tune::KnobRule::Kind::Forbid,
                        std::string_view(line).substr(pin.size()));
    if (rule) rules.push_back(*rule);
  }
  return rules;
}

}  // namespace loopglass::views
