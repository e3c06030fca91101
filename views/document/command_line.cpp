#include "views/document/command_line.h"

#include "core/machine/instruction_level.h"
#include "core/pass/position_name.h"
#include "core/saved_session.h"
#include "core/support/shell_word.h"
#include "views/document/saved_asked.h"
#include "views/text.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace loopglass::views {
namespace {

Request short_request(const Document& document) {
  return in_short(request_of(document), document.toolchain());
}

// What makes the graph, and for which instructions, where this window is held to fewer.
QString graph_and_target_words(const Document& document) {
  QString words = text(graph_words(short_request(document)));
  if (const InstructionLevel* level = held_level()) words += " --target " + text(level->name);
  return words;
}

// The model, up to the place that is shown.
QString place_words(const Document& document) {
  const auto history = document.history().recorded();
  const pass::Position place = document.history().position();
  QString upto;  // all steps, where nothing is said
  if (history && place.rewrites != pass::Report::all)
    upto = " --stop-after " + shell_word(text(pass::position_name(place, *history)));
  else if (history && place.step + 1 < history->steps.size())
    upto = QString(" --step %1").arg(place.step);
  return shell_word(document.source().argument) + upto + graph_and_target_words(document);
}

}  // namespace

QString shell_word(const QString& text) {
  return QString::fromStdString(loopglass::shell_word(text.toStdString()));
}

Request request_of(const Document& document) {
  Request request = to_saved(document.asked(), document.history().last_graph().get()).request;
  request.model = document.source().argument.toStdString();
  request.inputs = document.source().inputs;
  request.subgraph = subgraph_path(document.source());
  return request;
}

QString model_words(const Document& document) {
  return shell_word(document.source().argument) + graph_and_target_words(document);
}

QString strategy_words(const Document& document) {
  Request request;
  request.strategy = document.strategy().toStdString();
  return text(plan_words(in_short(request, document.toolchain())));
}

QString plan_words(const Document& document) {
  Request request = short_request(document);
  if (!document.history().last_graph()) request.forced = request.forbidden = {};
  return text(loopglass::plan_words(request));
}

QString suggested_session_file(const Document& document) {
  return QFileInfo(document.source().argument).completeBaseName() + text(session_ending);
}

KernelWords kernel_words(const Document& document) {
  if (document.asked().schedules.empty()) return {model_words(document) + plan_words(document), {}};
  const QString& saved = document.session_file();
  const QString file = saved.isEmpty() ? suggested_session_file(document) : saved;
  return {shell_word(file),
          "  # " + QCoreApplication::translate("CommandLine", "the session, saved as %1")
                       .arg(QFileInfo(file).fileName())};
}

QString passes_command(const Document& document) {
  return "loopglassc passes " + model_words(document);
}

QString fuse_command(const Document& document, const FuseWords& words) {
  Request request = short_request(document);
  if (words.with_edits && !request.edits.edits.empty()) request.strategy = "manual";
  const auto graph = document.history().last_graph();
  if (!graph) request.forced = request.forbidden = {};
  QString command = "loopglassc fuse " + shell_word(document.source().argument) +
                    graph_and_target_words(document) + text(plan_words(request));
  if (graph && words.edge)
    command += " --edge " + shell_word(text(graph->node(words.edge->producer).name + ":" +
                                            graph->node(words.edge->consumer).name));
  return command;
}

QString dominators_command(const Document& document, graph::Direction direction) {
  return "loopglassc emit domtree " + place_words(document) +
         (direction == graph::Direction::PostDominators ? " --post" : "");
}

QString place_command(const Document& document) {
  if (const auto pinned = document.history().pinned_base())
    return difference_command(document, *pinned);
  return "loopglassc emit graph " + place_words(document);
}

QString difference_command(const Document& document, const pass::Position& other) {
  return QString("loopglassc diff %1 %2 %3%4")
      .arg(shell_word(document.source().argument), text(pass::to_text(other)),
           text(pass::to_text(document.history().position())), graph_and_target_words(document));
}

}  // namespace loopglass::views
