// loopglassc explain: what a word means that some stage shows.
#include "app/loopglassc/declare.h"
#include "core/glossary.h"
#include "core/support/suggestion.h"
#include "passes/pipeline.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> words;
  bool json = false;
};

Result<Exit> show(const Options& options) {
  const Toolchain toolchain = passes::toolchain();
  Json rows = Json::array();
  for (const std::string& word : options.words) {
    const auto found = explain(toolchain, word);
    if (found.empty())
      return fail(Code::UsageInvalid,
                  fmt::format("'{}' is no pass, verdict, primitive, operator or instruction", word),
                  "explain",
                  did_you_mean(word, explained_words(toolchain),
                               "loopglassc passes, ops and fuse --reasons list them"));
    for (const Explanation& each : found) {
      if (options.json)
        rows.push_back({{"word", each.name}, {"kind", each.kind}, {"sentence", each.sentence}});
      else fmt::print("{} ({}): {}\n", each.name, each.kind, each.sentence);
    }
  }
  if (options.json) print_json(rows);
  return Exit::Good;
}

}  // namespace

void add_explain(Command app, Action& chosen) {
  const auto [command, options] = declare<Options>(
      app, chosen, "explain", "says what a pass, verdict, primitive, operator or instruction is",
      show, "as JSON: word, kind, sentence");
  command.add_option("word", options->words, "licm, split, SECOND_ANCHOR, vfmadd231ps, ...")
      .type_name("WORD")
      .required();
}

}  // namespace loopglass::app
