#include "views/timeline/walk_actions.h"

namespace loopglass::views {
namespace {

struct Described {
  Walk walk;
  const char *glyph, *title, *keys, *tip;
};

// In the order of Walk.
constexpr Described described[] = {
    {Walk::PassForward, "▶", QT_TRANSLATE_NOOP("WalkActions", "Over: Next &Pass"), "F10",
     QT_TRANSLATE_NOOP("WalkActions", "To the end of this pass, or of the next one")},
    {Walk::PassBack, "◀", QT_TRANSLATE_NOOP("WalkActions", "Over: Pre&vious Pass"), "Shift+F10",
     QT_TRANSLATE_NOOP("WalkActions", "Back to before this pass")},
    {Walk::RewriteForward, "▷", QT_TRANSLATE_NOOP("WalkActions", "Into: Next &Rewrite"), "F11",
     QT_TRANSLATE_NOOP("WalkActions", "One rewrite further, into the next pass")},
    {Walk::RewriteBack, "◁", QT_TRANSLATE_NOOP("WalkActions", "Into: Previous Re&write"),
     "Shift+F11", QT_TRANSLATE_NOOP("WalkActions", "One rewrite back")},
    {Walk::Start, "|◀", QT_TRANSLATE_NOOP("WalkActions", "Run to the &Start"), "Ctrl+Home",
     QT_TRANSLATE_NOOP("WalkActions", "To the graph as it was imported")},
    {Walk::End, "▶|", QT_TRANSLATE_NOOP("WalkActions", "Run to the &End"), "Ctrl+End",
     QT_TRANSLATE_NOOP("WalkActions", "To the graph after all passes")},
};

QString no_steps() { return QObject::tr("no steps"); }

QString text_of(const pass::GraphHistory& history, const pass::Position& place) {
  const auto& step = history.steps[place.step];
  QString text = QString("%1/%2  %3")
                     .arg(place.step)
                     .arg(history.steps.size() - 1)
                     .arg(QString::fromStdString(step.pass.name));
  if (place.rewrites != pass::Report::all)
    text += QObject::tr(", rewrite %1 of %2").arg(place.rewrites).arg(step.rewrites.size());
  return text;
}

}  // namespace

WalkActions::WalkActions(Document* document, bool with_keys, QObject* parent)
    : QObject(parent), document_(document) {
  for (const Described& each : described) {
    auto* action = new QAction(tr(each.title), this);
    action->setIconText(each.glyph);
    action->setToolTip(QString("%1 (%2)").arg(tr(each.tip), each.keys));
    if (with_keys) action->setShortcut(QKeySequence(each.keys));
    connect(action, &QAction::triggered, document,
            [document, walk = each.walk] { document->history().walk(walk); });
    actions_[static_cast<std::size_t>(each.walk)] = action;
  }
  connect(&document->history(), &HistoryStage::stepChanged, this, &WalkActions::enable);
  connect(&document->history(), &HistoryStage::historyChanged, this, &WalkActions::enable);
  enable();
}

void WalkActions::enable() {
  for (const Described& each : described)
    action(each.walk)->setEnabled(document_->history().can_walk(each.walk));
}

QString position_text(const Document& document) {
  const auto history = document.history().recorded();
  return history ? text_of(*history, document.history().position()) : no_steps();
}

QStringList longest_position_texts(const Document& document) {
  const auto history = document.history().recorded();
  if (!history) return {no_steps()};
  QStringList texts;
  for (std::size_t step = 0; step < history->steps.size(); ++step) {
    const std::size_t rewrites = history->steps[step].rewrites.size();
    texts << text_of(*history, {step, rewrites > 0 ? rewrites : pass::Report::all});
  }
  return texts;
}

}  // namespace loopglass::views
