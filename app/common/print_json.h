// What --json prints: one document, which begins with the form it has.
#pragma once

#include "app/common/schemas.h"
#include "core/support/diagnostic.h"

namespace loopglass::app {

void print_document(const std::string& json);

// Prints {"schema": ..., and the members of `json`}. Names come from models and need not be UTF-8.
template <class Json>
void print_json(Schema schema, const Json& json) {
  Json whole{{"schema", identifier(schema)}};
  whole.update(json);
  print_document(whole.dump(2, ' ', false, Json::error_handler_t::replace));
}

// The same, of a model.
template <class Json>
void print_json(Schema schema, const std::string& model, const Json& json) {
  Json of_model{{"model", model}};
  of_model.update(json);
  print_json(schema, of_model);
}

// Whether the words of a command line ask for JSON, be they understood or not.
bool asks_for_json(int argc, const char* const* argv);
// Prints the form `error`, for a program that ends with `exit_code`; nothing where a document has
// been printed already, since whoever reads it expects one.
void print_error_json(const Diagnostic& diagnostic, int exit_code);

}  // namespace loopglass::app
