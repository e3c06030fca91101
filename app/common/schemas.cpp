#include "app/common/schemas.h"

#include "app/common/schema_files.h"
#include "core/support/check.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view shared_file = "common.json";

Json parsed(const std::string& file) {
  const auto files = schema_files();
  const auto found = std::ranges::find(files, std::string_view(file), &SchemaFile::name);
  CHECK(found != files.end(), "there is no schema " + file);
  return Json::parse(found->text);
}

// Makes references to shared definitions ones to the schema itself, and notes what they want.
void take_in(Json& schema, std::vector<std::string>& wanted) {
  const std::string prefix = std::string(shared_file) + "#/definitions/";
  if (schema.is_object() && schema.contains("$ref")) {
    auto& reference = schema["$ref"].get_ref<std::string&>();
    if (reference.starts_with(prefix)) {
      wanted.push_back(reference.substr(prefix.size()));
      reference.erase(0, shared_file.size());
    }
  }
  for (Json& part : schema)
    if (part.is_structured()) take_in(part, wanted);
}

}  // namespace

const std::vector<Schema>& all_schemas() {
  static const std::vector<Schema> all{
#define SCHEMA(id, name) Schema::id,
      LOOPGLASS_SCHEMAS(SCHEMA)
#undef SCHEMA
  };
  return all;
}

std::string_view name(Schema schema) {
  switch (schema) {
#define SCHEMA(id, name) \
  case Schema::id: return name;
    LOOPGLASS_SCHEMAS(SCHEMA)
#undef SCHEMA
  }
  __builtin_unreachable();
}

std::string identifier(Schema schema) {
  return parsed(std::string(name(schema)) + ".json")["properties"]["schema"]["const"];
}

std::string title(Schema schema) { return parsed(std::string(name(schema)) + ".json")["title"]; }

std::string text(Schema schema) {
  Json whole = parsed(std::string(name(schema)) + ".json");
  std::vector<std::string> wanted;
  take_in(whole, wanted);
  const Json shared = parsed(std::string(shared_file));
  // Definitions may want others, which are added behind.
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string name = wanted[i];
    if (whole["definitions"].contains(name)) continue;
    Json definition = shared["definitions"].at(name);
    take_in(definition, wanted);
    whole["definitions"][name] = std::move(definition);
  }
  return whole.dump(2);
}

}  // namespace loopglass::app
