// Reading filters: a recursive descent over the characters, with a caret wherever it fails.
#include "core/support/closest.h"
#include "core/support/filter_tree.h"
#include "core/support/text_cursor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>

namespace loopglass {

namespace {

// "1MiB", "2.5k", "-3", "1e9".
std::optional<long double> parse_number(std::string_view text) {
  static const std::pair<std::string_view, long double> units[] = {
      {"", 1},         {"B", 1},         {"k", 1e3L},      {"K", 1e3L},      {"M", 1e6L},
      {"G", 1e9L},     {"T", 1e12L},     {"kB", 1e3L},     {"KB", 1e3L},     {"MB", 1e6L},
      {"GB", 1e9L},    {"TB", 1e12L},    {"Ki", 0x1p10L},  {"Mi", 0x1p20L},  {"Gi", 0x1p30L},
      {"Ti", 0x1p40L}, {"KiB", 0x1p10L}, {"MiB", 0x1p20L}, {"GiB", 0x1p30L}, {"TiB", 0x1p40L}};
  // Infinities and hexadecimal digits are no numbers here; a name may look like them.
  if (text.find_first_not_of("+-.0123456789") == 0) return std::nullopt;
  long double number = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(begin, end, number);
  if (status != std::errc{} || !(number - number == 0)) return std::nullopt;
  for (const auto& [unit, factor] : units)
    if (std::string_view(rest, static_cast<std::size_t>(end - rest)) == unit)
      return number * factor;
  return std::nullopt;
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return lower_case(a) == lower_case(b);
}

FilterTree tree(auto form) {
  return std::make_shared<const Filter::Node>(Filter::Node{std::move(form)});
}

// Conjunctions and disjunctions of one are that one; nested ones of their own kind are laid open.
template <class Form>
FilterTree joined(std::vector<FilterTree> operands) {
  if (operands.size() == 1) return operands.front();
  Form form;
  for (FilterTree& operand : operands) {
    if (const auto* inner = std::get_if<Form>(&operand->form))
      form.operands.insert(form.operands.end(), inner->operands.begin(), inner->operands.end());
    else form.operands.push_back(std::move(operand));
  }
  return tree(std::move(form));
}

}  // namespace

class FilterParser {
 public:
  FilterParser(std::string_view text, const FilterSchema& schema, std::size_t begin)
      : text_(text), schema_(schema), at_(std::min(begin, text.size())) {}

  Result<Filter> operator()() {
    if (at_end()) return Filter();
    FilterTree root = TRY(disjunction());
    if (!at_end()) {
      if (text_[at_] == ')') return error(at_, "there is no '(' for this ')'");
      if (text_.substr(at_).starts_with("!~"))
        return error(at_, "'!~' is no relation", "write !name~part");
      return error(at_, "expected & or |",
                   "conditions are joined with & and |; a value with blanks stands in quotes");
    }
    return Filter(std::move(root));
  }

 private:
  // Deeper ones are no person's.
  static constexpr int maximum_depth = 100;
  static constexpr std::size_t maximum_expression = 1000;

  struct Word {
    std::string text;
    std::size_t begin;
    bool quoted;
  };

  bool at_end() {
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ') ++at_;
    return at_ == text_.size();
  }
  bool accept(std::string_view sign) {
    if (at_end() || !text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  std::unexpected<Diagnostic> error(std::size_t at, std::string what, std::string hint = {}) const {
    TextCursor cursor(text_);
    cursor.rewind(at);
    auto failure = cursor.error(std::move(what));
    failure.error().hint = std::move(hint);
    return failure;
  }

  Result<FilterTree> disjunction() {
    std::vector<FilterTree> operands{TRY(conjunction())};
    while (accept("||") || accept("|")) operands.push_back(TRY(conjunction()));
    return joined<Disjunction>(std::move(operands));
  }

  Result<FilterTree> conjunction() {
    std::vector<FilterTree> operands{TRY(factor())};
    while (accept("&&") || accept("&")) operands.push_back(TRY(factor()));
    return joined<Conjunction>(std::move(operands));
  }

  Result<FilterTree> factor() {
    if (++depth_ > maximum_depth) return error(at_, "the filter is nested too deeply");
    const std::size_t begin = (at_end(), at_);
    FilterTree result;
    if (accept("!")) {
      result = tree(Negation{TRY(factor())});
    } else if (accept("(")) {
      result = TRY(disjunction());
      if (!accept(")"))
        return error(at_end() ? begin : at_,
                     at_end() ? "this '(' is not closed" : "expected ')', & or |");
    } else {
      result = TRY(condition());
    }
    --depth_;
    return result;
  }

  Result<Word> word(const char* expected) {
    if (at_end())
      return error(at_, fmt::format("expected {}", expected), "for example op=Conv & name~layer3");
    Word word{"", at_, text_[at_] == '"'};
    if (!word.quoted) {
      while (at_ < text_.size() && is_bare(text_[at_])) word.text += text_[at_++];
      if (word.text.empty())
        return error(at_, fmt::format("expected {}", expected),
                     "for example op=Conv & name~layer3");
      return word;
    }
    // A backslash stands for itself except before a quote or another, so that \d needs no second
    // one.
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const bool escape = text_[at_] == '\\' && at_ + 1 < text_.size() &&
                          (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      word.text += text_[escape ? ++at_ : at_];
    }
    if (at_ == text_.size()) return error(word.begin, "the quote is not closed");
    ++at_;
    return word;
  }

  Result<FilterTree> condition() {
    const Word first = TRY(word("a condition"));
    const std::size_t sign = (at_end(), at_);
    for (const RelationSpec& spec : relation_specs) {
      if (!accept(spec.sign)) continue;
      if (spec.relation == Relation::Equal) accept("=");  // == is =
      const FieldSpec* field = first.quoted ? nullptr : find_field(first.text);
      if (field == nullptr) return unknown_field(first);
      return compare(*field, spec.relation, sign, TRY(word("a value")));
    }
    if (!first.quoted)
      if (auto word = word_alone(first.text)) return tree(std::move(*word));
    return tree(Comparison{schema_.fields.front().name, Relation::Contains, first.text});
  }

  std::optional<Comparison> word_alone(std::string_view word) const {
    for (const FieldSpec& field : schema_.fields)
      if (field.stands_alone)
        for (const std::string& known : field.values)
          if (equal_in_any_case(known, word)) return Comparison{field.name, Relation::Equal, known};
    return std::nullopt;
  }

  const FieldSpec* find_field(std::string_view name) const {
    for (const FieldSpec& field : schema_.fields)
      if (equal_in_any_case(field.name, name)) return &field;
    return nullptr;
  }

  std::unexpected<Diagnostic> unknown_field(const Word& word) const {
    std::vector<std::string> all, plain;
    for (const FieldSpec& field : schema_.fields) {
      all.push_back(field.name);
      if (field.name.find('.') == std::string::npos) plain.push_back(field.name);
    }
    std::string hint = did_you_mean(word.text, all);
    if (hint.empty()) hint = fmt::format("there are: {}", fmt::join(plain, ", "));
    return error(word.begin, fmt::format("{} have no field '{}'", schema_.noun, word.text),
                 std::move(hint));
  }

  Result<FilterTree> compare(const FieldSpec& field, Relation relation, std::size_t sign,
                             const Word& value) const {
    Comparison comparison{field.name, relation, value.text, parse_number(value.text)};
    switch (relation) {
      case Relation::Equal:
      case Relation::NotEqual:
        if (field.kind == FieldKind::Word) comparison.value = TRY(known_word(field, value));
        if (field.kind == FieldKind::Word || field.kind == FieldKind::Text)
          comparison.number.reset();
        if (field.kind == FieldKind::Number && !comparison.number) return no_number(value);
        break;
      case Relation::Contains:
      case Relation::Matches:
        if (field.kind == FieldKind::Number)
          return error(sign, fmt::format("{} is a number and contains no text", field.name),
                       "use = != < <= > or >=");
        if (relation == Relation::Matches) comparison.expression = TRY(expression(value));
        break;
      case Relation::Less:
      case Relation::LessEqual:
      case Relation::Greater:
      case Relation::GreaterEqual:
        if (field.kind == FieldKind::Word || field.kind == FieldKind::Text)
          return error(sign, fmt::format("{} is a text and has no order", field.name),
                       "use = != ~ or =~");
        if (!comparison.number) return no_number(value);
        break;
    }
    return tree(std::move(comparison));
  }

  std::unexpected<Diagnostic> no_number(const Word& value) const {
    return error(value.begin, fmt::format("'{}' is not a number", value.text),
                 "for example 4, 1.5, 10k or 64MiB");
  }

  Result<std::string> known_word(const FieldSpec& field, const Word& value) const {
    for (const std::string& known : field.values)
      if (equal_in_any_case(known, value.text)) return known;
    for (const auto& [alias, known] : field.aliases)
      if (equal_in_any_case(alias, value.text)) return known;
    std::string hint = did_you_mean(value.text, field.values);
    if (hint.empty() && field.values.size() <= 20)
      hint = fmt::format("there are: {}", fmt::join(field.values, ", "));
    if (hint.empty()) hint = fmt::format("{}~{} looks for a part of it", field.name, value.text);
    return error(value.begin, fmt::format("there is no {} '{}'", field.phrase, value.text),
                 std::move(hint));
  }

  // libstdc++'s matcher for this flag takes time in proportion to text and expression, and no deep
  // stack, whatever a model's names and a person's expressions are; it refuses back-references. Its
  // search begins anew at every character, so the text before and after is part of the expression.
  Result<std::shared_ptr<const std::regex>> expression(const Word& value) const {
    if (value.text.size() > maximum_expression)
      return error(value.begin, "the regular expression is too long");
    try {
      const auto flags = std::regex::ECMAScript | std::regex_constants::__polynomial;
      const std::regex alone(value.text,
                             flags);  // "a)(b" must not become one by what stands round it
      return std::make_shared<const std::regex>("[^]*(?:" + value.text + ")[^]*", flags);
    } catch (const std::regex_error&) {
      return error(
          value.begin, fmt::format("'{}' is not a regular expression", value.text),
          "letters stand for themselves, . for any one, .* for any number; for plain text use ~");
    }
  }

  std::string_view text_;
  const FilterSchema& schema_;
  std::size_t at_;
  int depth_ = 0;
};

Result<Filter> parse_filter(std::string_view text, const FilterSchema& schema, std::size_t begin) {
  return FilterParser(text, schema, begin)();
}

}  // namespace loopglass
