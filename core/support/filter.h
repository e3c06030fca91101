// Filters: what a person types to pick out operators, decisions and the like, in search,
// breakpoints and styles alike.
//
//   op=Conv & dtype=f32 & name~"layer3"      !(rank>2 | bytes>=1MiB)      attr.group!=1      conv1
//
//   filter := term { "|" term }      term := factor { "&" factor }
//   factor := "!" factor | "(" filter ")" | field relation value | value
//
// = and != compare whole texts (case counts only in names) or numbers, ~ asks whether the text
// contains the value in any case, =~ whether a regular expression (ECMAScript, without
// back-references) is found in it, and < <= > >= compare numbers, which may end in k, M, G, Ki, Mi,
// Gi or B, KB, MiB, ... A value alone means that the first field (the name) contains it, but for
// the words of a field that stand alone, such as `fused` for verdict=fused. A value with blanks or
// characters of the grammar stands in quotes; in quotes a word is always a name. A field may have
// several values: a relation holds when it does for one of them; a != b is !(a = b), so it also
// holds where there is no value. Nothing typed picks out everything.
//
// The grammar knows no particular kind of entity: a schema says which fields there are, and a
// reader answers for one entity what they are.
#pragma once

#include "core/support/result.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopglass {

enum class FieldKind : std::uint8_t {
  Text,  // any text; = minds upper and lower case
  Word,  // one of the field's `values`, in any case; others are refused
  Number,
  Any,  // text or number, as the entity has it
};

struct FieldSpec {
  std::string name;    // "dtype"
  std::string doc;     // one sentence
  std::string phrase;  // in plain English, after "whose": "element type"
  FieldKind kind = FieldKind::Text;
  std::vector<std::string> values = {};             // known ones; all there are for a Word
  std::map<std::string, std::string> aliases = {};  // "f32" -> "float32"
  bool stands_alone = false;  // whether each of `values` alone means this field
};

struct FilterSchema {
  std::string noun;               // "operators"
  std::vector<FieldSpec> fields;  // a value alone looks in the first

  const FieldSpec* find(std::string_view name) const;  // nullptr if there is none
};

// What one entity has under a field: nothing, or one value or several, as texts, numbers or both.
struct FieldValue {
  std::vector<std::string> texts = {};
  std::vector<long double> numbers = {};  // exact for 64-bit integers
};
using FieldReader = std::function<FieldValue(const std::string& field)>;

enum class Relation : std::uint8_t {
  Equal,
  NotEqual,
  Contains,
  Matches,
  Less,
  LessEqual,
  Greater,
  GreaterEqual
};

// A value. Everything is matched by the default one.
class Filter {
 public:
  Filter() = default;
  bool is_everything() const { return root_ == nullptr; }
  bool matches(const FieldReader& entity) const;

  struct Node;  // the parsed tree; in filter.cpp

 private:
  explicit Filter(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  friend class FilterParser;
  friend std::string to_text(const Filter& filter);
  friend std::string in_words(const Filter& filter, const FilterSchema& schema);
  std::shared_ptr<const Node> root_;
};

// Reads `text` from the character `begin` on. TextMalformed with a caret (counted in the whole
// text) and a hint: a field, a word or a number that is none, an unclosed quote or parenthesis, ...
Result<Filter> parse_filter(std::string_view text, const FilterSchema& schema,
                            std::size_t begin = 0);
// Parses back to an equal filter; equal filters have equal texts.
std::string to_text(const Filter& filter);
inline bool operator==(const Filter& a, const Filter& b) { return to_text(a) == to_text(b); }
// "operators whose op is Conv, element type is float32 and whose name contains layer3"
std::string in_words(const Filter& filter, const FilterSchema& schema);

// What may be typed at the cursor: fields and, after a field, its relations' values.
struct Completions {
  struct Item {
    std::string text, doc;
  };
  std::size_t begin = 0, end = 0;  // the characters that an item would replace
  std::vector<Item> items;         // those that go on as typed, best first
};
Completions complete_filter(std::string_view text, std::size_t cursor, const FilterSchema& schema);

}  // namespace loopglass
