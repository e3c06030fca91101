// loopglassc explain: what a word means that some stage shows.
#include "app/loopglassc/declare.h"
#include "core/glossary.h"
#include "core/glossary_words.h"
#include "core/support/suggestion.h"
#include "passes/pipeline.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct ExplainOptions {
  std::vector<std::string> words;
  bool codes = false, glossary = false;
  bool json = false;
};

// "LG1001"
bool is_code(const std::string& word) {
  return word.size() == 6 && word.starts_with("LG") &&
         std::all_of(word.begin() + 2, word.end(), [](unsigned char c) { return std::isdigit(c); });
}

Result<Exit> show(const ExplainOptions& options) {
  const Toolchain toolchain = passes::toolchain();
  Json rows = Json::array();
  std::vector<std::string> words = options.words;
  if (options.codes)
    for (const std::string& word : explained_words(toolchain))
      if (is_code(word)) words.push_back(word);
  if (options.glossary)
    for (const GlossaryWord& word : glossary_words()) words.emplace_back(word.word);
  if (words.empty())
    return fail(Code::UsageInvalid, "nothing is asked for", "explain",
                "name a word, or ask for all diagnostics by --codes, for the words that Loopglass "
                "uses for its own things by --glossary");
  bool is_all_unknown = true;
  std::optional<Diagnostic> unknown;  // the first; the others are explained all the same
  for (const std::string& word : words) {
    const auto found = explain(toolchain, word);
    if (found.empty() && !unknown)
      unknown = Diagnostic{Code::UsageInvalid,
                           fmt::format("'{}' is no word of this compiler: no pass, rewrite, "
                                       "remark, verdict, kind, primitive, operator, instruction, "
                                       "diagnostic",
                                       word),
                           "explain",
                           did_you_mean(word, explained_words(toolchain),
                                        "loopglassc passes, passes --rules, ops, primitives and "
                                        "fuse --reasons list them, and explain --glossary")};
    is_all_unknown = is_all_unknown && found.empty();
    for (const Explanation& each : found) {
      if (options.json)
        rows.push_back({{"word", each.name}, {"kind", each.kind}, {"sentence", each.sentence}});
      else fmt::print("{} ({}): {}\n", each.name, each.kind, each.sentence);
    }
  }
  if (unknown && is_all_unknown) return std::unexpected(*std::move(unknown));
  if (options.json) print_json(Schema::Explain, Json{{"words", std::move(rows)}});
  if (unknown) return std::unexpected(*std::move(unknown));
  return Exit::Good;
}

}  // namespace

void add_explain(Command app, Action& chosen) {
  const auto [command, options] =
      declare<ExplainOptions>(app, chosen, "explain",
                              "says what a pass, rewrite, remark, verdict, primitive, operator, "
                              "instruction or diagnostic is",
                              show, "as JSON: word, kind, sentence");
  command
      .add_option("word", options->words,
                  "licm, split, SECOND_ANCHOR, LAYOUT_KEPT, vfmadd231ps, LG8016, ...")
      .type_name("WORD");
  command.add_flag("--glossary", options->glossary,
                   "the words that Loopglass uses for its own things: anchor, path, place, ...");
  command.add_flag("--codes", options->codes, "every diagnostic, by its number");
}

}  // namespace loopglass::app
