// What may be typed next in a filter. Looks only at the characters around the cursor, so it also
// serves texts in which a filter is a part.
#include "core/support/closest.h"
#include "core/support/filter_tree.h"

#include <algorithm>

namespace loopglass {

namespace {

bool in_quotes(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (inside && text[i] == '\\') ++i;
    else if (text[i] == '"') inside = !inside;
  }
  return inside;
}

std::string_view without_blanks_at_end(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// The field whose value is being typed, when `text` ends in a field and a relation.
const FieldSpec* field_before(std::string_view text, const FilterSchema& schema) {
  text = without_blanks_at_end(text);
  for (const RelationSpec& spec : relation_specs) {
    if (!text.ends_with(spec.sign)) continue;
    text = without_blanks_at_end(text.substr(0, text.size() - spec.sign.size()));
    std::size_t begin = text.size();
    while (begin > 0 && is_bare(text[begin - 1])) --begin;
    return schema.find(lower_case(text.substr(begin)));
  }
  return nullptr;
}

// Those that begin with what is typed, then those that contain it.
void keep_fitting(std::vector<Completions::Item>& items, std::string_view typed) {
  const std::string wanted = lower_case(typed);
  const auto rank = [&](const Completions::Item& item) {
    return lower_case(item.text).find(wanted);
  };
  std::erase_if(items,
                [&](const Completions::Item& item) { return rank(item) == std::string::npos; });
  std::stable_partition(items.begin(), items.end(),
                        [&](const Completions::Item& item) { return rank(item) == 0; });
}

std::string_view usual_relation(FieldKind kind) { return kind == FieldKind::Text ? "~" : "="; }

}  // namespace

Completions complete_filter(std::string_view text, std::size_t cursor, const FilterSchema& schema) {
  cursor = std::min(cursor, text.size());
  Completions completions{cursor, cursor, {}};
  if (in_quotes(text.substr(0, cursor))) return completions;
  while (completions.begin > 0 && is_bare(text[completions.begin - 1])) --completions.begin;
  while (completions.end < text.size() && is_bare(text[completions.end])) ++completions.end;
  const std::string_view before = text.substr(0, completions.begin);
  const std::string_view typed = text.substr(completions.begin, cursor - completions.begin);
  if (const FieldSpec* field = field_before(before, schema)) {
    for (const std::string& value : field->values) completions.items.push_back({value, ""});
    for (const auto& [alias, value] : field->aliases) completions.items.push_back({alias, value});
  } else {
    for (const FieldSpec& field : schema.fields)
      completions.items.push_back(
          {field.name + std::string(usual_relation(field.kind)), field.doc});
    for (const FieldSpec& field : schema.fields)
      if (field.stands_alone)
        for (const std::string& value : field.values)
          completions.items.push_back({value, field.doc});
  }
  keep_fitting(completions.items, typed);
  return completions;
}

}  // namespace loopglass
