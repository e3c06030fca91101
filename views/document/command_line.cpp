#include "views/document/command_line.h"

#include "core/support/shell_word.h"

namespace loopglass::views {
namespace {

QString quoted(const QString& text) {
  return QString::fromStdString(loopglass::shell_word(text.toStdString()));
}

QString text(const std::string& value) { return QString::fromStdString(value); }

// What every command says about the model's passes.
QString options(const Document& document) {
  QString options;
  for (const auto& [name, shape] : document.source().shapes)
    options += " --shape " + quoted(text(name) + "=" + text(to_string(shape)));
  if (const std::string subgraph = subgraph_path(document.source()); !subgraph.empty())
    options += " --subgraph " + quoted(text(subgraph));
  const auto& presets = document.toolchain().presets;
  const std::string pipeline = document.pipeline();
  if (!presets.empty() && pipeline != presets.front().name) options += " --passes " + quoted(text(pipeline));
  if (const auto limit = document.settings().memory_limit)
    options += *limit % (1 << 20) == 0 ? QString(" --memory-limit %1MiB").arg(*limit >> 20)
                                       : QString(" --memory-limit %1").arg(*limit);
  return options;
}

QString strategy_option(const Document& document, const QString& strategy) {
  const auto& strategies = document.toolchain().strategies;
  if (strategies.empty() || strategy.isEmpty() || strategy == text(strategies.front().name))
    return {};
  return " --strategy " + quoted(strategy);
}

}  // namespace

QString shell_word(const QString& text) { return quoted(text); }

QString model_words(const Document& document) {
  return quoted(document.source().argument) + options(document);
}

QString strategy_words(const Document& document) {
  return strategy_option(document, document.strategy());
}

QString passes_command(const Document& document) {
  return "loopglassc passes " + model_words(document);
}

QString fuse_command(const Document& document, const FuseWords& words) {
  // Beside edits the strategy is what they begin with.
  const fusion::EditScript& script = document.edits();
  const bool edited =
      !script.edits.empty() && (words.with_edits || document.strategy() == "manual");
  QString command = "loopglassc fuse " + model_words(document) +
                    strategy_option(document, edited ? text(script.base) : document.strategy());
  const auto graph = document.last_graph();
  if (!graph) return command;
  const auto edge = [&](const fusion::Edge& edge) {
    return quoted(text(graph->node(edge.producer).name) + ":" +
                  text(graph->node(edge.consumer).name));
  };
  const fusion::Constraints& constraints = document.constraints();
  for (const auto& [word, edges] :
       {std::pair{" --force ", &constraints.forced}, {" --forbid ", &constraints.forbidden}})
    for (const fusion::Edge& asked : *edges)
      if (graph->find(asked.producer) && graph->find(asked.consumer)) command += word + edge(asked);
  if (edited)
    for (const fusion::Edit& edit : script.edits)
      command += " --edit " + quoted(text(fusion::to_text(edit)));
  if (words.edge) command += " --edge " + edge(*words.edge);
  return command;
}

QString place_command(const Document& document) {
  const QString model = quoted(document.source().argument);
  const auto base = document.base();
  if (!base) return "loopglassc emit graph " + model + " --step 0" + options(document);
  return QString("loopglassc diff %1 %2 %3%4")
      .arg(model, text(pass::to_text(*base)), text(pass::to_text(document.position())), options(document));
}

}  // namespace loopglass::views
