#include "views/graph/beside_place.h"

#include "core/pass/position_name.h"
#include "views/document/command_line.h"
#include "views/document/groups_by_origin.h"
#include "views/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::views {
namespace {

using Kind = SavedBeside::Kind;

Result<pass::Position> position_of(const Document& document, const SavedBeside& beside) {
  if (beside.kind == Kind::Step)
    return pass::parse_position(beside.what, *document.history().recorded());
  if (beside.kind == Kind::Compared) {
    if (const auto base = document.history().base()) return *base;
  } else if (const std::size_t step = document.history().step(); step > 0) {
    return pass::Position{step - 1};
  }
  return fail(Code::UsageInvalid, "this is the first step: nothing is before it");
}

// Where an operator ends up that is in no kernel itself needs an index, which is shared by all
// copies.
std::function<fusion::GroupId(const graph::Node&)> grouping(
    const graph::Graph& graph, std::shared_ptr<const fusion::Plan> plan) {
  auto by_origin =
      std::make_shared<const GroupsByOrigin>(groups_by_origin(fusion::BlockRules(graph), *plan));
  return [plan = std::move(plan), by_origin = std::move(by_origin)](const graph::Node& node) {
    return group_of(node, *plan, *by_origin);
  };
}

std::function<fusion::GroupId(const graph::Node&)> grouping(const Document& document) {
  return [&document](const graph::Node& node) { return document.fusion().group_of(node); };
}

const fusion::Strategy* find_strategy(const Toolchain& toolchain, const std::string& name) {
  const auto& all = toolchain.strategies;
  const auto found = std::ranges::find(all, name, &fusion::Strategy::name);
  return found == all.end() ? nullptr : &*found;
}

FindBeside find_step(const Document& document, const BesideSource& source) {
  return [session = document.session(), history = source.history, position = *source.position,
          groups = grouping(document)](const JobContext& context) -> Result<BesidePlace> {
    auto graph = TRY(session->graph_at(position.step, position.rewrites, context.cancellation));
    return BesidePlace{history, position, std::move(graph), nullptr, groups};
  };
}

FindBeside find_strategy(const Document& document, const BesideSource& source) {
  return
      [toolchain = document.toolchain(), source](const JobContext& context) -> Result<BesidePlace> {
        const fusion::Strategy* strategy = find_strategy(toolchain, source.what);
        if (!strategy)
          return fail(Code::StrategyUnknown,
                      fmt::format("there is no fusion strategy '{}'", source.what));
        const std::size_t last = source.history->steps.size() - 1;
        auto graph = source.history->steps[last].result;
        fusion::PlanOptions options;
        options.constraints = source.asked.constraints;
        options.cost = source.cost_model;
        if (!source.asked.edits.edits.empty())
          options.edits = std::make_shared<const fusion::EditScript>(source.asked.edits);
        options.progress = context.progress;
        options.cancellation = context.cancellation;
        auto plan = std::make_shared<const fusion::Plan>(TRY(strategy->plan(*graph, options)));
        if (context.cancellation.requested())
          return fail(Code::Cancelled, "the plan was cancelled");
        auto groups = grouping(*graph, plan);
        return BesidePlace{
            source.history, {last}, std::move(graph), std::move(plan), std::move(groups)};
      };
}

// Edges and edits go by what the document's own passes make, so they stay out of it.
FindBeside find_pipeline(const Document& document, const BesideSource& source) {
  return
      [toolchain = document.toolchain(), source](const JobContext& context) -> Result<BesidePlace> {
        SessionOptions options;
        options.pipeline = source.what;
        options.strategy = source.asked.strategy;
        options.settings = source.settings;
        Session session(toolchain, std::move(options));
        session.open(*source.model, source.model->graph.name());
        session.set_cost_model(source.cost_model);
        auto history = TRY(session.graph_history(context.progress, context.cancellation));
        auto plan = TRY(session.plan());
        const std::size_t last = history->steps.size() - 1;
        auto graph = history->steps[last].result;
        auto groups = grouping(*graph, plan);
        return BesidePlace{
            std::move(history), {last}, std::move(graph), std::move(plan), std::move(groups)};
      };
}

}  // namespace

Result<BesideSource> beside_source(const Document& document, const SavedBeside& beside) {
  BesideSource source;
  source.kind = beside.kind;
  source.model = document.model();
  if (beside.kind == Kind::Strategy || beside.kind == Kind::Passes) {
    source.what = beside.what;
    source.cost_model = document.cost_model();
  }
  if (beside.kind == Kind::Passes) {
    source.settings = document.settings();
    const PlanAsked& asked = document.plan_asked();
    source.asked.strategy = asked.strategy == "manual" ? asked.edits.base : asked.strategy;
    return source;
  }
  source.history = document.history().recorded();
  if (beside.kind == Kind::Strategy) {
    source.asked.constraints = document.constraints();
    if (beside.what == "manual") source.asked.edits = document.edits();
  } else {
    source.position = TRY(position_of(document, beside));
  }
  return source;
}

SavedBeside beside_at_first(const Document& document) {
  const auto history = document.history().recorded();
  if (!history || history->steps.size() < 2) return {Kind::StepBefore};
  const auto at = [&](std::size_t step) {
    return SavedBeside{Kind::Step, pass::position_name({step}, *history)};
  };
  const std::size_t here = document.history().step();
  if (here == 0) return at(history->steps.size() - 1);
  const auto graph_before = [&](std::size_t step) { return history->steps[step - 1].result; };
  if (graph_before(here) != document.history().graph()) return {Kind::StepBefore};
  std::size_t changing = here;
  while (changing > 1 && graph_before(changing) == document.history().graph()) --changing;
  const bool ever = graph_before(changing) != document.history().graph();
  return at(ever ? changing - 1 : history->steps.size() - 1);
}

std::optional<BesidePlace> place_at_once(const Document& document, const BesideSource& source) {
  if (!source.position) return std::nullopt;
  const pass::Position position = *source.position;
  auto graph = position.rewrites == pass::Report::all  ? source.history->steps[position.step].result
               : position == document.history().base() ? document.history().base_graph()
                                                       : nullptr;
  if (!graph) return std::nullopt;
  return BesidePlace{source.history, position, std::move(graph), document.fusion().plan(),
                     grouping(document)};
}

FindBeside find_beside(const Document& document, const BesideSource& source) {
  if (source.position) return find_step(document, source);
  return source.history ? find_strategy(document, source) : find_pipeline(document, source);
}

QString beside_command(const Document& document, const SavedBeside& beside) {
  if (beside.kind == Kind::Nothing || !document.history().recorded()) return {};
  const auto source = beside_source(document, beside);
  if (!source) return {};
  if (source->position) return difference_command(document, *source->position);
  const QString what = text(source->what);
  if (source->history) {
    const QString strategy = document.strategy();
    return fuse_command(document, {{}, what == "manual" || strategy == "manual"}) + " --compare " +
           shell_word(strategy + "," + what);
  }
  return "loopglassc compare " + model_words(document) + " --against " + shell_word(what) +
         strategy_words(document);
}

QString title_of(const BesideSource& source) {
  if (source.position) return text(pass::describe(*source.position, *source.history));
  return source.history ? QObject::tr("strategy %1").arg(text(source.what))
                        : QObject::tr("passes %1").arg(text(source.what));
}

}  // namespace loopglass::views
