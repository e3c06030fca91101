// loopglassc schema: the forms of what --json prints, as JSON Schemas.
#include "app/loopglassc/declare.h"
#include "core/support/suggestion.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct SchemaOptions {
  std::string name;
  bool json = false;
};

Result<Exit> show_schema(const SchemaOptions& options) {
  if (options.json)
    return fail(Code::UsageInvalid, "a schema is JSON as it is", "--json", "leave it out");
  std::vector<std::string> names;
  for (const Schema schema : all_schemas()) {
    // As a person calls it, or as the output does.
    if (options.name == name(schema) || options.name == identifier(schema)) {
      fmt::print("{}\n", text(schema));
      return Exit::Good;
    }
    names.emplace_back(name(schema));
  }
  return fail(Code::UsageInvalid, fmt::format("there is no schema '{}'", options.name), "NAME",
              did_you_mean(options.name, names, "loopglassc schema lists them"));
}

Result<Exit> list_schemas(const SchemaOptions& options) {
  Json rows = Json::array();
  for (const Schema schema : all_schemas()) {
    if (options.json)
      rows.push_back(
          {{"name", name(schema)}, {"identifier", identifier(schema)}, {"title", title(schema)}});
    else fmt::print("{:<22}{}\n", name(schema), title(schema));
  }
  if (options.json) print_json(Schema::Schema, Json{{"schemas", std::move(rows)}});
  return Exit::Good;
}

Result<Exit> schema(const SchemaOptions& options) {
  return options.name.empty() ? list_schemas(options) : show_schema(options);
}

}  // namespace

void add_schema(Command app, Action& chosen) {
  const auto [command, options] = declare<SchemaOptions>(
      app, chosen, "schema",
      "lists the forms of what --json prints; with NAME, that form's JSON Schema", schema,
      "the list as JSON");
  command
      .add_option("name", options->name,
                  "a form, as 'schema' in the output says: bench, loopglass.bench/1")
      .type_name("NAME");
}

}  // namespace loopglass::app
