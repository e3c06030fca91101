// loopglassc primitives: the reference of schedule primitives, all of it derived from their rows.
#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "core/script/sampling.h"
#include "core/support/suggestion.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using schedule::Primitive;

struct PrimitivesOptions {
  std::string name;
  bool json = false;
};

std::string signature(const Primitive& primitive) {
  std::string text;
  for (const schedule::Parameter& parameter : primitive.parameters)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", parameter.name,
                        parameter.optional ? "?" : "");
  return fmt::format("{}({})", primitive.name, text);
}

Json to_json(const Primitive& primitive) {
  Json parameters = Json::array();
  for (const schedule::Parameter& parameter : primitive.parameters)
    parameters.push_back({{"name", parameter.name},
                          {"kind", schedule::kind_name(parameter.kind)},
                          {"optional", parameter.optional},
                          {"doc", parameter.doc}});
  return {{"name", primitive.name},
          {"doc", primitive.doc},
          {"parameters", std::move(parameters)},
          {"before", primitive.before},
          {"after", primitive.after}};
}

void print_page(const Primitive& primitive) {
  fmt::print("{}\n  {}\n\nparameters\n", signature(primitive), primitive.doc);
  for (const schedule::Parameter& parameter : primitive.parameters)
    fmt::print("  {:<10}{:<20}{}\n", parameter.name, schedule::kind_name(parameter.kind),
               parameter.doc);
  fmt::print("\nbefore\n  {}\nafter\n  {}\n", primitive.before, primitive.after);
}

// All that a line may call: primitives, and what decides for spaces of schedules.
std::vector<Primitive> reference() {
  std::vector<Primitive> rows = schedule::all_primitives();
  for (const schedule::Sampling& sampling : schedule::all_samplings())
    rows.push_back(
        {sampling.name, sampling.doc, sampling.before, sampling.after, sampling.parameters, {}});
  return rows;
}

std::vector<std::string> primitive_names() {
  std::vector<std::string> names;
  for (const Primitive& row : reference()) names.push_back(row.name);
  return names;
}

Result<Exit> show(const PrimitivesOptions& options) {
  const std::vector<Primitive> all = reference();
  if (!options.name.empty()) {
    const auto primitive = std::ranges::find(all, options.name, &Primitive::name);
    if (primitive == all.end()) {
      return fail(
          Code::UsageInvalid, fmt::format("there is no primitive '{}'", options.name), {},
          did_you_mean(options.name, primitive_names(), "loopglassc primitives lists them all"));
    }
    if (options.json)
      print_json(Schema::Primitives, Json{{"primitives", Json::array({to_json(*primitive)})}});
    else print_page(*primitive);
    return Exit::Good;
  }
  if (options.json) {
    Json rows = Json::array();
    for (const Primitive& primitive : all) rows.push_back(to_json(primitive));
    print_json(Schema::Primitives, Json{{"primitives", std::move(rows)}});
    return Exit::Good;
  }
  Table table({Column::word(""), Column::word("")});
  for (const Primitive& primitive : all) table.add({signature(primitive), primitive.doc});
  table.print();
  return Exit::Good;
}

}  // namespace

void add_primitives(Command app, Action& chosen) {
  const auto [command, options] = declare<PrimitivesOptions>(
      app, chosen, "primitives",
      "lists what schedules are made of; with NAME, that primitive's page", show);
  command.add_option("name", options->name, "a primitive")
      .type_name("NAME")
      .suggests(primitive_names);
}

}  // namespace loopglass::app
