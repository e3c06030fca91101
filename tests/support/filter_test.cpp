// The filter grammar: what it picks out, what it refuses and where it points, how it reads aloud.
#include "core/support/filter.h"
#include "core/support/closest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass {
namespace {

using ::testing::HasSubstr;

// Fruit: a kind of entity that the compiler does not know.
struct Fruit {
  std::string name, colour;
  long double weight;
  std::vector<std::string> places;
};

const FilterSchema fruit{"fruits",
                         {{"name", "what it is called", "name", FieldKind::Text},
                          {"colour",
                           "its colour",
                           "colour",
                           FieldKind::Word,
                           {"Red", "Green", "Yellow"},
                           {{"lemon", "Yellow"}}},
                          {"weight", "in grams", "weight", FieldKind::Number},
                          {"place", "where it grows", "place", FieldKind::Text},
                          {"attr.skin", "what is round it", "attribute skin", FieldKind::Any}}};

const Fruit apple{"Apple", "Red", 150, {"Kent", "Tyrol"}};
const Fruit lime{"little lime", "Green", 30.5, {}};

bool picks(const std::string& text, const Fruit& entity) {
  const auto filter = parse_filter(text, fruit);
  EXPECT_TRUE(filter) << text << ": " << to_string(filter.error());
  return filter && filter->matches([&](const std::string& field) -> FieldValue {
    if (field == "name") return {{entity.name}, {}};
    if (field == "colour") return {{entity.colour}, {}};
    if (field == "weight") return {{}, {entity.weight}};
    if (field == "place") return {entity.places, {}};
    return {};
  });
}

TEST(Filter, RelationsPickOutWhatTheySay) {
  // Equality of names minds the case; of words from a fixed set it does not.
  EXPECT_TRUE(picks("name=Apple", apple));
  EXPECT_FALSE(picks("name=apple", apple));
  EXPECT_TRUE(picks("colour=red", apple));
  EXPECT_TRUE(picks("colour==RED", apple));
  EXPECT_FALSE(picks("colour=lemon", apple));
  EXPECT_TRUE(picks("colour!=lemon", apple));
  // Containing does not.
  EXPECT_TRUE(picks("name~PPL", apple));
  EXPECT_FALSE(picks("name~pear", apple));
  EXPECT_TRUE(picks("colour~re", apple));
  EXPECT_TRUE(picks(R"(name=~"^A.{3}e$")", apple));
  EXPECT_TRUE(picks(R"(name=~"l\w+e")", lime));
  EXPECT_FALSE(picks("name=~^l..e$", lime));
  EXPECT_TRUE(picks(R"(name=~"x|l[a-i]m")", lime));
  EXPECT_TRUE(picks(R"(name=~"\blime$")", lime));
  EXPECT_FALSE(picks("name=~^lime", lime));
  EXPECT_FALSE(picks("name=~Little", lime));
  EXPECT_TRUE(picks("weight=150", apple));
  EXPECT_TRUE(picks("weight!=151", apple));
  EXPECT_TRUE(picks("weight<0.2k", apple));
  EXPECT_TRUE(picks("weight<=150 & weight>=150", apple));
  EXPECT_FALSE(picks("weight<150", apple));
  EXPECT_FALSE(picks("weight>150", apple));
  EXPECT_TRUE(picks("weight>3e1", lime));
}

TEST(Filter, AValueAloneIsPartOfTheName) {
  EXPECT_TRUE(picks("app", apple));
  EXPECT_TRUE(picks("\"LITTLE l\"", lime));
  EXPECT_FALSE(picks("app", lime));
}

TEST(Filter, NotBindsTighterThanAndTighterThanOr) {
  EXPECT_TRUE(picks("colour=red | colour=green & weight>100", apple));
  EXPECT_FALSE(picks("(colour=red | colour=green) & weight>200", apple));
  EXPECT_FALSE(picks("!colour=red & weight>1", apple));
  EXPECT_TRUE(picks("!(colour=red & weight<1)", apple));
  EXPECT_TRUE(picks("!!apple", apple));
  EXPECT_TRUE(picks("colour=green || apple && weight>1", apple));
}

TEST(Filter, OneOfSeveralValuesIsEnoughAndNoneEqualsNothing) {
  EXPECT_TRUE(picks("place=Tyrol", apple));
  EXPECT_FALSE(picks("place!=Tyrol", apple));  // !(place=Tyrol)
  EXPECT_FALSE(picks("place=Tyrol", lime));
  EXPECT_TRUE(picks("place!=Tyrol", lime));
  EXPECT_FALSE(picks("attr.skin>0", apple));
}

TEST(Filter, NothingTypedPicksOutEverything) {
  EXPECT_TRUE(picks("", apple));
  EXPECT_TRUE(picks("   ", lime));
  EXPECT_TRUE(parse_filter(" ", fruit)->is_everything());
  EXPECT_FALSE(parse_filter("a", fruit)->is_everything());
}

TEST(Filter, NumbersOf64BitsAreToldApart) {
  const auto filter = *parse_filter("weight=9223372036854775807", fruit);
  const auto weighs = [](long double number) {
    return [number](const std::string&) { return FieldValue{{}, {number}}; };
  };
  EXPECT_TRUE(filter.matches(weighs(9223372036854775807.0L)));
  EXPECT_FALSE(filter.matches(weighs(9223372036854775806.0L)));
  // A single-precision attribute is what a person would type.
  EXPECT_TRUE(parse_filter("weight=1e-5", fruit)->matches(weighs(1e-5f)));
  EXPECT_TRUE(parse_filter("weight=64MiB", fruit)->matches(weighs(64 << 20)));
}

struct Refusal {
  const char* text;
  std::size_t column;
  const char* what;
  const char* hint;
};

class FilterRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(FilterRefuses, WithACaretAndAHint) {
  const Refusal& refusal = GetParam();
  const auto filter = parse_filter(refusal.text, fruit);
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code, Code::TextMalformed);
  EXPECT_THAT(filter.error().what, HasSubstr(refusal.what));
  EXPECT_THAT(filter.error().what, HasSubstr(caret(refusal.text, refusal.column)));
  EXPECT_THAT(filter.error().hint, HasSubstr(refusal.hint));
}

INSTANTIATE_TEST_SUITE_P(
    All, FilterRefuses,
    ::testing::Values(
        Refusal{"color=red", 1, "fruits have no field 'color'", "did you mean 'colour'?"},
        Refusal{"shape=round", 1, "fruits have no field 'shape'",
                "there are: name, colour, weight, place"},
        Refusal{"\"name\"=x", 1, "have no field", ""},
        Refusal{"colour=gren", 8, "there is no colour 'gren'", "did you mean 'Green'?"},
        Refusal{"colour=ultraviolet", 8, "there is no colour", "there are: Red, Green, Yellow"},
        Refusal{"weight>heavy", 8, "'heavy' is not a number", "64MiB"},
        Refusal{"weight>0x10", 8, "not a number", ""}, Refusal{"weight<inf", 8, "not a number", ""},
        Refusal{"weight~1", 7, "contains no text", "use ="},
        Refusal{"colour<red", 7, "has no order", "use ="},
        Refusal{"name=", 6, "expected a value", ""},
        Refusal{"=red", 1, "expected a condition", "for example"},
        Refusal{"apple &", 8, "expected a condition", ""},
        Refusal{"apple red", 7, "expected & or |", "in quotes"},
        Refusal{"(apple", 1, "not closed", ""}, Refusal{"apple)", 6, "there is no '('", ""},
        Refusal{"name~\"apple", 6, "the quote is not closed", ""},
        Refusal{"name!~apple", 5, "no relation", "!name~part"},
        Refusal{"name=~\"(a\"", 7, "not a regular expression", "use ~"},
        Refusal{"name=~\"a)(b\"", 7, "not a regular expression", ""},
        Refusal{"name=~\"(a)\\1\"", 7, "not a regular expression", ""}));

TEST(Filter, DepthAndLengthAreBounded) {
  EXPECT_FALSE(parse_filter(std::string(100'000, '('), fruit));
  EXPECT_FALSE(parse_filter(std::string(100'000, '!') + "a", fruit));
  EXPECT_FALSE(parse_filter("name=~" + std::string(100'000, 'a'), fruit));
  // Neither a backtracking expression nor a long name costs time or stack.
  const auto filter = parse_filter("name=~\"(a+)+$\"", fruit);
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->matches([](const std::string&) {
    return FieldValue{{std::string(20'000, 'a') + "b"}, {}};
  }));
}

TEST(Filter, PrintsWhatParsesBack) {
  for (const auto& [text, printed] : std::vector<std::pair<std::string, std::string>>{
           {"apple", "name~apple"},
           {" colour = lemon&weight>=1k ", "colour=Yellow & weight>=1k"},
           {"a|b&(c|d)", "name~a | name~b & (name~c | name~d)"},
           {"a&(b&c)", "name~a & name~b & name~c"},
           {"!(a|b)", "!(name~a | name~b)"},
           {"!!a", "!!name~a"},
           {"name=\"\"", "name=\"\""},
           {"name=\"a & \\\"b\\\" \\\\c\"", "name=\"a & \\\"b\\\" \\\\c\""},
           {R"(name=~"\d+")", R"(name=~\d+)"},
           {R"(name=~"(\d)|x")", R"(name=~"(\\d)|x")"},
           {"", ""}}) {
    const auto filter = parse_filter(text, fruit);
    ASSERT_TRUE(filter) << text << to_string(filter.error());
    EXPECT_EQ(to_text(*filter), printed);
    const auto again = parse_filter(printed, fruit);
    ASSERT_TRUE(again) << printed;
    EXPECT_EQ(*again, *filter) << printed;
  }
}

TEST(Filter, ReadsAloud) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "all fruits"},
           {"apple", "fruits whose name contains apple"},
           {"colour=red & weight>=3 & name~x",
            "fruits whose colour is Red, weight is at least 3 and whose name contains x"},
           {"colour=red | name~x", "fruits whose colour is Red or whose name contains x"},
           {"colour!=red", "fruits whose colour is not Red"},
           {"!colour!=red", "fruits whose colour is Red"},
           {"!weight<3", "fruits whose weight is at least 3"},
           {"!(colour=red & name~x)",
            "fruits whose colour is not Red or whose name does not contain x"},
           {"weight>1 & (colour=red | name~x)",
            "fruits whose weight is more than 1, and either whose colour is Red or whose name "
            "contains x"},
           {"weight>1 & name~x | colour=red",
            "fruits (whose weight is more than 1 and whose name contains x), or whose colour is "
            "Red"},
           {"name=\"\"", "fruits whose name is \"\""}}) {
    EXPECT_EQ(in_words(*parse_filter(text, fruit), fruit), words) << text;
  }
}

std::string completions(const std::string& text, std::size_t cursor) {
  const Completions found = complete_filter(text, cursor, fruit);
  std::string all = std::to_string(found.begin) + ".." + std::to_string(found.end);
  for (const auto& item : found.items) all += " " + item.text;
  return all;
}

TEST(Filter, OffersWhatMayBeTyped) {
  EXPECT_EQ(completions("", 0), "0..0 name~ colour= weight= place~ attr.skin=");
  EXPECT_EQ(completions("a & co", 6), "4..6 colour=");
  EXPECT_EQ(completions("colour=", 7), "7..7 Red Green Yellow lemon");
  EXPECT_EQ(completions("colour = gr & x", 11), "9..11 Green");
  EXPECT_EQ(completions("!e", 2),
            "1..2 name~ weight= place~");  // contained, where nothing begins with it
  EXPECT_EQ(completions("name~\"co", 8), "8..8");
  EXPECT_EQ(completions("name=", 5), "5..5");
}

TEST(Closest, FindsWhatWasMeantOrNothing) {
  const std::vector<std::string> known{"Conv", "ConvTranspose", "Concat", "Relu"};
  EXPECT_EQ(closest("conv", known), "Conv");
  EXPECT_EQ(closest("Cnov", known), "Conv");
  EXPECT_EQ(closest("ConvTransposed", known), "ConvTranspose");
  // Two letters that are swapped are one slip.
  EXPECT_EQ(closest("stpe", std::vector<std::string>{"shape", "step"}), "step");
  EXPECT_EQ(closest("Banana", known), "");
  EXPECT_EQ(closest("", known), "");
  EXPECT_EQ(did_you_mean("Rleu", known), "did you mean 'Relu'?");
}

}  // namespace
}  // namespace loopglass
