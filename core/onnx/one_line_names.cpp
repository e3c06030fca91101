#include "core/onnx/one_line_names.h"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <string>
#include <vector>

namespace loopglass::onnx {
namespace {

namespace pb = google::protobuf;

constexpr auto breaks_line = [](char c) { return c == '\n' || c == '\t' || c == '\r'; };

std::string on_one_line(const std::string& name) {
  std::string line;
  for (const char c : name) {
    if (breaks_line(c)) line += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else line += c;
  }
  return line;
}

// External data names files by `value`.
bool is_name(const pb::FieldDescriptor& field) {
  return field.type() == pb::FieldDescriptor::TYPE_STRING && field.name() != "doc_string" &&
         field.name() != "value";
}

void put_field_on_one_line(pb::Message& message, const pb::FieldDescriptor& field) {
  const pb::Reflection& reflection = *message.GetReflection();
  std::string scratch;
  if (!field.is_repeated()) {
    const std::string& name = reflection.GetStringReference(message, &field, &scratch);
    if (std::ranges::any_of(name, breaks_line))
      reflection.SetString(&message, &field, on_one_line(name));
    return;
  }
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const std::string& name = reflection.GetRepeatedStringReference(message, &field, i, &scratch);
    if (std::ranges::any_of(name, breaks_line))
      reflection.SetRepeatedString(&message, &field, i, on_one_line(name));
  }
}

}  // namespace

void put_names_on_one_line(pb::Message& message) {
  const pb::Reflection& reflection = *message.GetReflection();
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    if (is_name(*field)) put_field_on_one_line(message, *field);
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      put_names_on_one_line(*reflection.MutableMessage(&message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i)
      put_names_on_one_line(*reflection.MutableRepeatedMessage(&message, field, i));
  }
}

}  // namespace loopglass::onnx
