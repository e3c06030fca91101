#include "app/loopglassc/plan_options.h"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace loopglass::app {

namespace {

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return fail(Code::UsageInvalid, fmt::format("the edits in '{}' cannot be read", path), "--edits");
  return text.str();
}

}  // namespace

void add_plan(CLI::App& command, ModelOptions& options) {
  command.add_option("--force", options.forced, "an edge whose ends shall share a kernel (may be repeated)")
      ->type_name("A:B")
      ->allow_extra_args(false);
  command.add_option("--forbid", options.forbidden, "an edge whose ends shall not share a kernel (may be repeated)")
      ->type_name("A:B")
      ->allow_extra_args(false);
  command
      .add_option("--edits", options.edits,
                  "a partition by hand: base STRATEGY, merge a, b, split a, pin a; --strategy says what it begins with")
      ->type_name("FILE");
}

bool asks_for_plan(const ModelOptions& options) {
  return !options.forced.empty() || !options.forbidden.empty() || !options.edits.empty();
}

Result<std::shared_ptr<const fusion::EditScript>> read_edits(const ModelOptions& options) {
  if (options.edits.empty()) return nullptr;
  auto parsed = fusion::parse_edits(TRY(read_text(options.edits)));
  if (!parsed) {
    parsed.error().where = fmt::format("{}: {}", options.edits, parsed.error().where);
    return std::unexpected(parsed.error());
  }
  if (!options.strategy.empty() && options.strategy != "manual") {
    if (parsed->base.empty()) parsed->base = options.strategy;
    if (parsed->base != options.strategy)
      return fail(Code::UsageInvalid, fmt::format("the edits begin with strategy '{}', and --strategy says '{}'", parsed->base, options.strategy),
                  options.edits);
  }
  return std::make_shared<const fusion::EditScript>(*std::move(parsed));
}

Result<void> set_plan(Session& session, const ModelOptions& options) {
  if (!asks_for_plan(options)) return {};
  if (const auto edits = TRY(read_edits(options))) {
    session.set_fusion_edits(edits);
    session.set_strategy("manual");
  }
  fusion::Constraints constraints;
  const auto graph = TRY(session.graph());
  for (const std::string& edge : options.forced) constraints.forced.insert(TRY(fusion::find_edge(*graph, edge)));
  for (const std::string& edge : options.forbidden) constraints.forbidden.insert(TRY(fusion::find_edge(*graph, edge)));
  session.set_constraints(std::move(constraints));
  return {};
}

}  // namespace loopglass::app
