#include "views/tuning/trial_script.h"

#include "views/text.h"
#include "views/theme.h"
#include "views/tuning/lineage.h"
#include "views/tuning/run_words.h"
#include "views/widgets/text_size.h"
#include "views/widgets/wrap_layout.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>

namespace loopglass::views {

TrialScript::TrialScript(QWidget* parent)
    : QWidget(parent), words_(new QLabel), script_(new QPlainTextEdit), lineage_(new LineageView) {
  words_->setObjectName("trialWords");
  words_->setWordWrap(true);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  script_->setObjectName("trialScript");
  script_->setReadOnly(true);
  script_->setLineWrapMode(QPlainTextEdit::NoWrap);
  use_code_font(script_);
  auto* tabs = new QTabWidget;
  tabs->setObjectName("trialTabs");
  tabs->setDocumentMode(true);
  tabs->addTab(script_, tr("Script"));
  tabs->addTab(lineage_, tr("Lineage"));
  tabs->setTabToolTip(1, tr("Where the trial came from, and what each step changed"));
  auto* bar = new QWidget;
  auto* row = new WrapLayout(6, bar);
  row->setContentsMargins(0, 0, 0, 0);
  const auto button = [&](const QString& label, const QString& name, const QString& tip) {
    auto* made = new QPushButton(label);
    made->setObjectName(name);
    made->setToolTip(tip);
    row->addWidget(made);
    return made;
  };
  use_ = button(tr("&Use"), "trialUse",
                tr("Schedules the kernel by this script, and all that compute the same"));
  edit_ = button(tr("Edit"), "trialEdit",
                 tr("Puts it into the loop nest's script, to be changed by hand"));
  own_ = button(tr("Try Mi&ne"), "trialTryOwn", {});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 0, 4, 4);
  column->setSpacing(4);
  column->addWidget(words_);
  column->addWidget(tabs, 1);
  column->addWidget(bar);
  connect(use_, &QPushButton::clicked, this, &TrialScript::useWanted);
  connect(edit_, &QPushButton::clicked, this, &TrialScript::editWanted);
  connect(own_, &QPushButton::clicked, this, &TrialScript::ownWanted);
  connect(lineage_, &LineageView::trialChosen, this, &TrialScript::trialChosen);
}

void TrialScript::show_trial(const ShownRun* run, int place, const Use& use) {
  const bool is_there = run && place >= 0 && place < std::ssize(run->trials);
  const ShownTrial* trial = is_there ? &run->trials[static_cast<std::size_t>(place)] : nullptr;
  const QString script = trial ? text(trial->script) : QString();
  if (script_->toPlainText() != script) script_->setPlainText(script);
  script_->setPlaceholderText(trial ? tr("This point of the space cannot be written as a script.")
                                    : tr("The script of a trial: click a dot or a row."));
  lineage_->show_trial(run, place);
  use_->setEnabled(trial && trial->failure.empty() && use.may_be_used);
  edit_->setEnabled(trial && !trial->script.empty() && use.may_be_used);
  if (!trial) return words_->clear();
  QString words = trial_html(*run, *trial);
  if (use.is_in_use)
    words += QString(" · <span style='color:%1'>%2</span>").arg(theme().good.name(), tr("in use"));
  if (!trial->words.empty()) words += "<br>" + text(trial->words).toHtmlEscaped();
  if (!use.may_be_used)
    words +=
        "<br>" + tr("Of %1: select that kernel to use it.").arg(text(run->kernel).toHtmlEscaped());
  words_->setText(words);
}

void TrialScript::offer_own(bool may_be_tried, const QString& why) {
  own_->setEnabled(may_be_tried);
  own_->setToolTip(why);
}

}  // namespace loopglass::views
