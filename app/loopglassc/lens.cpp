// loopglassc lens: what flows along the edges of a graph at a place of its history, alone or
// against another place.
#include "core/debug/lens.h"
#include "app/common/numbers.h"
#include "app/common/place.h"
#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/inputs.h"
#include "core/support/suggestion.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int usual_bins = 32, usual_first = 8;

struct LensOptions {
  ModelOptions model;
  EvaluationOptions evaluation;
  std::vector<std::string> values;
  std::string at = "last", against;
  std::optional<int> bins, first;
  bool all = false, json = false;
};

struct Place {
  pass::Position position;
  std::string words;
  std::shared_ptr<const graph::Graph> graph;
};

Result<Place> place(Session& session, const std::string& text) {
  const auto history = TRY(session.graph_history());
  const pass::Position position = TRY(pass::parse_position(text, *history));
  auto graph = TRY(session.graph_at(position.step, position.rewrites));
  return Place{position, describe(position, *history), std::move(graph)};
}

std::vector<std::string> names_in(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const graph::NodePtr& node : graph.nodes()) {
    names.push_back(node->name);
    for (const graph::ValueId value : node->outputs) names.push_back(graph.value(value).name);
  }
  return names;
}

// Names of values, or of nodes: then all their results.
Result<std::set<graph::ValueId>> named(const LensOptions& options, const Place& place) {
  std::set<graph::ValueId> values;
  for (const std::string& name : options.values) {
    if (const graph::Value* value = place.graph->find_value(name)) values.insert(value->id);
    else if (const graph::Node* node = place.graph->find_node(name))
      values.insert(node->outputs.begin(), node->outputs.end());
    else
      return fail(Code::GraphEntityUnknown,
                  fmt::format("there is no value and no node '{}' at {}", name, place.words), {},
                  did_you_mean(name, names_in(*place.graph),
                               fmt::format("loopglassc lens {} --at {} lists the values",
                                           options.model.model, to_text(place.position))));
  }
  return values;
}

Json first_elements(const debug::Summary& summary) {
  Json elements = Json::array();
  for (std::int64_t i = 0; i < summary.first.elements(); ++i) {
    if (is_float(summary.type.type)) elements.push_back(summary.first.double_at(i));
    else if (summary.type.type == DataType::Bool)
      elements.push_back(summary.first.integer_at(i) != 0);
    else if (summary.type.type == DataType::UInt64)
      elements.push_back(static_cast<std::uint64_t>(summary.first.integer_at(i)));
    else elements.push_back(summary.first.integer_at(i));
  }
  return elements;
}

Json to_json(const debug::Summary& summary, const graph::Graph& graph) {
  const graph::Node* producer = summary.producer ? graph.find(summary.producer) : nullptr;
  Json json{{"name", summary.name}, {"id", summary.value.value}, {"type", to_string(summary.type)}};
  json["node"] = producer ? Json(producer->name) : Json();
  json["operator"] = producer ? Json(operator_name(*producer)) : Json();
  json["stands_in_for"] = summary.opaque ? Json(graph.node(summary.opaque).name) : Json();
  json.update(
      {{"elements", summary.elements}, {"nan", summary.nan}, {"infinite", summary.infinite}});
  // Without a finite element there is nothing to say.
  const auto number = [&](double value) { return summary.finite() > 0 ? Json(value) : Json(); };
  json.update({{"minimum", number(summary.minimum)},
               {"maximum", number(summary.maximum)},
               {"mean", number(summary.mean)},
               {"standard_deviation", number(summary.standard_deviation)},
               {"histogram", summary.histogram},
               {"first", first_elements(summary)}});
  return json;
}

Json to_json(const debug::Difference& difference) {
  Json json{{"name", difference.name_after},
            {"before", difference.name_before},
            {"matched_by", name(difference.match)},
            {"type", to_string(difference.type_after)},
            {"comparable", difference.comparable}};
  if (difference.type_before != difference.type_after)
    json["type_before"] = to_string(difference.type_before);
  if (!difference.comparable) return json;
  json.update({{"diverges", difference.diverges},
               {"elements", difference.elements},
               {"outside", difference.outside},
               {"bitwise_different", difference.bitwise_different},
               {"absolute_error", difference.absolute_error},
               {"relative_error", difference.relative_error},
               {"magnitude", difference.magnitude}});
  if (difference.worst >= 0)
    json["worst"] = {{"element", difference.worst},
                     {"before", difference.worst_before},
                     {"after", difference.worst_after}};
  return json;
}

// What is marked in a table, and why.
void explain_stand_ins(const std::vector<debug::Summary>& summaries, const graph::Graph& graph) {
  std::set<graph::NodeId> opaque;
  for (const debug::Summary& summary : summaries)
    if (summary.opaque && !summary.is_unknown) opaque.insert(summary.opaque);
  for (const graph::NodeId id : opaque)
    fmt::print(
        "* follows from {} ({}), which is not computed: random numbers stand in for its results\n",
        graph.node(id).name, operator_name(graph.node(id)));
}

void print_table(const std::vector<debug::Summary>& summaries, const graph::Graph& graph) {
  Table table({Column::name("value"), Column::word("type"), Column::number("minimum"),
               Column::number("maximum"), Column::number("mean"), Column::number("deviation"),
               Column::number("NaN"), Column::number("inf"), Column::word("")});
  const auto number = [](double value) { return fmt::format("{:.5g}", value); };
  const auto bad = [](std::int64_t count) {
    return Cell(count, count > 0 ? Style::Bad : Style::Plain);
  };
  for (const debug::Summary& summary : summaries)
    if (summary.is_unknown) table.add({summary.name, to_string(summary.type), "no numbers"});
    else
      table.add({summary.name, to_string(summary.type), number(summary.minimum),
                 number(summary.maximum), number(summary.mean), number(summary.standard_deviation),
                 bad(summary.nan), bad(summary.infinite), summary.opaque ? "*" : ""});
  table.print();
  explain_stand_ins(summaries, graph);
}

// `where`: " at step 3 (simplify)", where it is looked at in several places.
void print_one(const debug::Summary& summary, const graph::Graph& graph,
               std::string_view where = {}) {
  const graph::Node* producer = summary.producer ? graph.find(summary.producer) : nullptr;
  fmt::print("{}{}: {}, {}\n", summary.name, where, to_string(summary.type),
             producer ? fmt::format("made by {} ({})", producer->name, operator_name(*producer))
             : summary.is_constant ? "a constant"
                                   : "an input");
  if (summary.is_unknown) {
    fmt::print(
        "  no numbers: it is too large to hold, or of a type that nothing here computes with\n");
    return;
  }
  if (summary.opaque)
    fmt::print("  random numbers: it follows from {} ({}), which is not computed here\n",
               graph.node(summary.opaque).name, operator_name(graph.node(summary.opaque)));
  fmt::print("  minimum {:.6g}  maximum {:.6g}  mean {:.6g}  deviation {:.6g}\n", summary.minimum,
             summary.maximum, summary.mean, summary.standard_deviation);
  fmt::print("  {} elements, {} not numbers, {} infinite\n", summary.elements, summary.nan,
             summary.infinite);
  std::string first;
  for (std::int64_t i = 0; i < summary.first.elements(); ++i)
    first += (i > 0 ? ", " : "") + debug::element_text(summary.first, i);
  fmt::print("  {}{}\n", first, summary.elements > summary.first.elements() ? ", ..." : "");
  const std::int64_t most = summary.histogram.empty() ? 0
                                                      : *std::max_element(summary.histogram.begin(),
                                                                          summary.histogram.end());
  const double width = (summary.maximum - summary.minimum) /
                       static_cast<double>(std::max<std::size_t>(summary.histogram.size(), 1));
  for (std::size_t bin = 0; bin < summary.histogram.size() && most > 0; ++bin)
    fmt::print("  {:>12.4g} {:>10} {}\n", summary.minimum + width * static_cast<double>(bin),
               summary.histogram[bin],
               std::string(static_cast<std::size_t>(summary.histogram[bin] * 50 / most), '#'));
}

debug::SummaryOptions look_options(const LensOptions& options) {
  return {options.bins.value_or(usual_bins), options.first.value_or(usual_first)};
}

Json to_json(const std::vector<debug::Summary>& summaries, const graph::Graph& graph) {
  Json rows = Json::array();
  for (const debug::Summary& summary : summaries) rows.push_back(to_json(summary, graph));
  return rows;
}

Result<Exit> look(const LensOptions& options, Session& session, debug::Evaluator& evaluator,
                  const debug::Inputs& inputs) {
  const Place at = TRY(place(session, options.at));
  const auto summaries = TRY(
      debug::look(evaluator, *at.graph, inputs, TRY(named(options, at)), look_options(options)));
  if (options.json) {
    print_json(Schema::Lens, session.model_name(),
               Json{{"position", to_text(at.position)},
                    {"place", at.words},
                    {"values", to_json(summaries, *at.graph)}});
    return Exit::Good;
  }
  if (options.values.empty()) print_table(summaries, *at.graph);
  else
    for (const debug::Summary& summary : summaries) print_one(summary, *at.graph);
  return Exit::Good;
}

struct Agreement {
  std::size_t same = 0, close = 0, diverging = 0, incomparable = 0;
};

Agreement tally(const debug::Comparison& comparison) {
  Agreement tally;
  for (const debug::Difference& value : comparison.values)
    ++(!value.comparable             ? tally.incomparable
       : value.diverges              ? tally.diverging
       : value.bitwise_different > 0 ? tally.close
                                     : tally.same);
  return tally;
}

void print(const debug::Comparison& comparison, const LensOptions& options) {
  const Agreement counts = tally(comparison);
  Table table({Column::word(""), Column::name("value"), Column::word("type"),
               Column::number("different"), Column::number("outside"), Column::number("abs. error"),
               Column::number("rel. error"), Column::name("matched by")});
  for (std::size_t i = 0; i < comparison.values.size(); ++i) {
    const debug::Difference& value = comparison.values[i];
    if (!options.all && options.values.empty() && value.comparable && value.bitwise_different == 0)
      continue;
    const bool is_first = comparison.first_divergence == i;
    if (!value.comparable && value.type_after == value.type_before)
      table.add({"", value.name_after,
                 fmt::format("{}: no numbers to compare", to_string(value.type_after))});
    else if (!value.comparable)
      table.add({"", value.name_after,
                 fmt::format("{} instead of {}", to_string(value.type_after),
                             to_string(value.type_before))});
    else
      table.add({Cell(is_first         ? ">"
                      : value.diverges ? "!"
                                       : "",
                      Style::Bad),
                 Cell(value.name_after, value.diverges ? Style::Bad : Style::Plain),
                 to_string(value.type_after), value.bitwise_different, value.outside,
                 fmt::format("{:.3g}", value.absolute_error),
                 fmt::format("{:.3g}", value.relative_error),
                 fmt::format("{}{}", name(value.match),
                             value.name_before == value.name_after
                                 ? ""
                                 : fmt::format(" ({})", value.name_before))});
  }
  if (!table.empty()) table.print();
  fmt::print(
      "{}{} values are the same to the bit, {} within the tolerance, {} diverge, {} have other "
      "types\n",
      table.empty() ? "" : "\n", counts.same, counts.close, counts.diverging, counts.incomparable);
  if (options.values.empty())
    fmt::print("{} values are only before, {} only after\n", comparison.only_before,
               comparison.only_after);
  if (!comparison.first_divergence) return;
  const debug::Difference& first = comparison.values[*comparison.first_divergence];
  fmt::print("the first to diverge is {}: element {} is {:.6g} where it was {:.6g}\n",
             first.name_after, first.worst, first.worst_after, first.worst_before);
}

// The values that are named, in numbers, at both places.
struct BothLooks {
  std::vector<debug::Summary> here, there;
};

Result<BothLooks> look_at_both(const LensOptions& options, debug::Evaluator& evaluator,
                               const debug::Inputs& inputs, const Place& at, const Place& against,
                               const debug::Correspondence& counterparts) {
  std::set<graph::ValueId> here, there;
  for (const auto& [before, after] : counterparts) {
    there.insert(before);
    here.insert(after.value);
  }
  BothLooks looks;
  if (here.empty()) return looks;
  looks.here = TRY(debug::look(evaluator, *at.graph, inputs, here, look_options(options)));
  looks.there = TRY(debug::look(evaluator, *against.graph, inputs, there, look_options(options)));
  return looks;
}

Result<Exit> compare(const LensOptions& options, Session& session, debug::Evaluator& evaluator,
                     const debug::Inputs& inputs) {
  const Place at = TRY(place(session, options.at)), against = TRY(place(session, options.against));
  auto counterparts = TRY(debug::correspondence(session, against.position, at.position));
  if (const auto wanted = TRY(named(options, at)); !wanted.empty())
    std::erase_if(counterparts,
                  [&](const auto& entry) { return !wanted.contains(entry.second.value); });
  debug::CompareOptions compare_options;
  compare_options.tolerance = options.evaluation.tolerance();
  const auto comparison = TRY(
      debug::compare(evaluator, *against.graph, *at.graph, counterparts, inputs, compare_options));
  const BothLooks looks =
      options.values.empty()
          ? BothLooks{}
          : TRY(look_at_both(options, evaluator, inputs, at, against, counterparts));
  if (options.json) {
    const Agreement counts = tally(comparison);
    Json rows = Json::array();
    for (const debug::Difference& value : comparison.values) rows.push_back(to_json(value));
    Json json{{"position", to_text(at.position)},    {"against", to_text(against.position)},
              {"same_count", counts.same},           {"close_count", counts.close},
              {"diverging_count", counts.diverging}, {"incomparable_count", counts.incomparable}};
    if (options.values.empty())
      json.update({{"only_before_count", comparison.only_before},
                   {"only_after_count", comparison.only_after}});
    json["first_divergence"] =
        comparison.first_divergence
            ? Json(comparison.values[*comparison.first_divergence].name_after)
            : Json();
    json["values"] = rows;
    if (!options.values.empty()) {
      json["here"] = to_json(looks.here, *at.graph);
      json["there"] = to_json(looks.there, *against.graph);
    }
    print_json(Schema::LensAgainst, session.model_name(), json);
  } else {
    fmt::print("{}, against {}\n\n", at.words, against.words);
    print(comparison, options);
    const auto print_looks = [](const std::vector<debug::Summary>& values, const Place& place) {
      for (const debug::Summary& summary : values) {
        fmt::print("\n");
        print_one(summary, *place.graph, " at " + place.words);
      }
    };
    print_looks(looks.here, at);
    print_looks(looks.there, against);
  }
  return comparison.first_divergence ? Exit::Bad : Exit::Good;
}

// The table of all values has room for neither.
Result<void> check(const LensOptions& options) {
  if (!options.values.empty() || (options.json && options.against.empty())) return {};
  for (const auto& [name, is_given] :
       {std::pair("--bins", options.bins.has_value()), {"--first", options.first.has_value()}})
    if (is_given)
      return fail(Code::UsageInvalid, fmt::format("{} is about values that are named", name), name,
                  "name a VALUE, or leave it out");
  return {};
}

Result<Exit> act(const LensOptions& options) {
  TRY_VOID(check(options));
  const ModelOptions model =
      TRY(with_known_inputs(options.model, options.evaluation.inputs, options.evaluation.seed));
  const auto session = TRY(open_session(model));
  debug::Inputs inputs =
      network_inputs(TRY(session->model())->graph, model.known_inputs, options.evaluation.seed);
  debug::Evaluator evaluator(session->toolchain(), options.evaluation.threads);
  return options.against.empty() ? look(options, *session, evaluator, inputs)
                                 : compare(options, *session, evaluator, inputs);
}

}  // namespace

void add_lens(Command app, Action& chosen) {
  const auto [command, options] = declare<LensOptions>(
      app, chosen, "lens",
      "shows the values on a graph's edges at a place of its history, or against another place",
      act);
  add_model(command, options->model).required();
  command.add_option("value", options->values, "names of values or nodes (default: a table of all)")
      .type_name("VALUE");
  add_place(command, "--at", options->at, "where to look").capture_default_str();
  const Option against = add_place(command, "--against", options->against,
                                   "compares with this place; ends with 1 when a value diverges");
  add_evaluation(command, options->evaluation).needs(against);
  command.add_option("--bins", options->bins, "of histograms")
      .check(whole_number(1, 1024))
      .default_str(std::to_string(usual_bins));
  command.add_option("--first", options->first, "how many first elements to show")
      .check(whole_number(0, 1000000))
      .default_str(std::to_string(usual_first));
  command.add_flag("--all", options->all, "with --against: also values that are the same")
      .needs(against);
}

}  // namespace loopglass::app
