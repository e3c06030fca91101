#include "tests/schemas/schema_check.h"

#include "app/common/schemas.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace loopglass::app {

namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

const valijson::Schema& parsed(Schema schema) {
  static std::map<Schema, valijson::Schema> known;
  const auto [found, is_new] = known.try_emplace(schema);
  if (is_new) {
    const auto json = nlohmann::json::parse(text(schema));
    valijson::SchemaParser().populateSchema(Adapter(json), found->second);
  }
  return found->second;
}

}  // namespace

std::string schema_problems(const nlohmann::json& document) {
  if (!document.is_object() || !document.contains("schema")) return "it names no schema";
  const auto schema = std::ranges::find_if(
      all_schemas(), [&](Schema each) { return document["schema"] == identifier(each); });
  if (schema == all_schemas().end()) return "there is no schema " + document["schema"].dump();
  valijson::ValidationResults results;
  valijson::Validator validator;
  validator.validate(parsed(*schema), Adapter(document), &results);
  std::string problems;
  for (const auto& error : results) {
    for (const std::string& step : error.context) problems += step;
    problems += ": " + error.description + "\n";
  }
  return problems;
}

}  // namespace loopglass::app
