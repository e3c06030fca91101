// Holds what --json prints against its JSON Schema.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace loopglass::app {

// What is wrong with the document, a line each, by the schema that it names; empty: nothing.
std::string schema_problems(const nlohmann::json& document);

}  // namespace loopglass::app
