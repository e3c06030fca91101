#include "app/common/plan_options.h"

#include "app/common/numbers.h"
#include "app/common/text_file.h"
#include "app/common/typed_text.h"
#include "app/common/vocabulary.h"

#include <fmt/format.h>

namespace loopglass::app {

namespace {

// `where` stands before the line and column of what does not parse.
Result<fusion::EditScript> parse(const std::string& text, const std::string& where) {
  auto script = fusion::parse_edits(text);
  if (!script) script.error().where = fmt::format("{}: {}", where, script.error().where);
  return script;
}

}  // namespace

namespace {

constexpr const char* of_plan = "The fusion plan";

}  // namespace

Option add_strategy(Command command, ModelOptions& options, const std::string& doc) {
  return command.add_option("--strategy", options.strategy, doc)
      .type_name("NAME")
      .suggests(strategy_names);
}

void add_plan(Command command, ModelOptions& options) {
  options.takes_plan = true;
  add_strategy(command, options, "fusion strategy").group(of_plan);
  command
      .add_list("--force", options.forced,
                "an edge whose ends shall share a kernel: one edge more in the strategy's plan, "
                "whose kernels are joined; where these cannot be one, the strategy plans anew "
                "around the edge",
                Entries::Edges)
      .type_name("A:B")
      .group(of_plan);
  command
      .add_list("--forbid", options.forbidden, "an edge whose ends shall not share a kernel",
                Entries::Edges)
      .type_name("A:B")
      .group(of_plan);
  command
      .add_option("--edits", options.edits,
                  "a partition by hand: base STRATEGY, merge a, b, split a, pin a; --strategy says "
                  "what it begins with, --force and --forbid change that, then come the edits")
      .check(not_blank())
      .type_name("FILE")
      .group(of_plan);
  command
      .add_option("--edit", options.more_edits,
                  "an edit as text, after those of a file: 'merge a, b'")
      .check(not_blank())
      .type_name("EDIT")
      .allow_extra_args(false)
      .group(of_plan);
}

bool asks_for_plan(const ModelOptions& options) {
  return !options.forced.empty() || !options.forbidden.empty() || !options.edits.empty() ||
         !options.more_edits.empty();
}

Result<std::shared_ptr<const fusion::EditScript>> read_edits(const ModelOptions& options) {
  if (options.edits.empty() && options.more_edits.empty()) return nullptr;
  fusion::EditScript script;
  if (!options.edits.empty())
    script =
        TRY(parse(TRY(read_text(options.edits, "the edits", "--edits",
                                "name a file of lines like 'merge a, b', or say them by --edit")),
                  options.edits));
  for (const std::string& text : options.more_edits) {
    const fusion::EditScript more = TRY(typed(parse(text, "--edit")));
    if (!more.base.empty() && !script.edits.empty())
      return fail(Code::UsageInvalid, fmt::format("the edits begin before 'base {}'", more.base),
                  "--edit", "the base stands in the first of them");
    if (!more.base.empty()) script.base = more.base;
    script.edits.insert(script.edits.end(), more.edits.begin(), more.edits.end());
  }
  if (!options.strategy.empty() && options.strategy != "manual") {
    if (script.base.empty()) script.base = options.strategy;
    if (script.base != options.strategy)
      return fail(Code::UsageInvalid,
                  fmt::format("the edits begin with strategy '{}', and --strategy says '{}'",
                              script.base, options.strategy));
  }
  return std::make_shared<const fusion::EditScript>(std::move(script));
}

Result<void> set_plan(Session& session, const ModelOptions& options) {
  if (!asks_for_plan(options)) return {};
  if (const auto edits = TRY(read_edits(options))) {
    session.set_fusion_edits(edits);
    session.set_strategy("manual");
  }
  fusion::Constraints constraints;
  const auto graph = TRY(session.graph());
  const auto find = [&](const std::string& edge) {
    auto found = fusion::find_edge(*graph, edge);
    // What the command line does not say is no fault of it.
    if (const auto file = options.edges_in.find(edge); !found && file != options.edges_in.end())
      found.error() = {Code::SessionCorrupt, std::move(found.error().what),
                       fmt::format("{}: {}", file->second, edge), std::move(found.error().hint)};
    return found;
  };
  for (const std::string& edge : options.forced) constraints.forced.insert(TRY(find(edge)));
  for (const std::string& edge : options.forbidden) constraints.forbidden.insert(TRY(find(edge)));
  session.set_constraints(std::move(constraints));
  return {};
}

}  // namespace loopglass::app
