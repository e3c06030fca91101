#include "views/fusion/verdict_panel.h"

#include "views/document/verdict_html.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/wrap_layout.h"

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

namespace loopglass::views {

VerdictPanel::VerdictPanel(Document* document, QWidget* parent)
    : QWidget(parent), document_(document), text_(new QLabel), row_(new WrapLayout(6)) {
  text_->setObjectName("verdictText");
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::RichText);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  const auto add = [&](const char* name, const QString& label, const QString& tip) {
    auto* button = new QPushButton(label);
    button->setObjectName(name);
    button->setToolTip(tip);
    row_->addWidget(button);
    return button;
  };
  fuse_ = add("guessFused", tr("I Would Fuse"), tr("Then the strategy's verdict is shown"));
  keep_ = add("guessApart", tr("I Would Keep Apart"), tr("Then the strategy's verdict is shown"));
  // Apart, so that a second click does not ask for what was only guessed.
  row_->addStretch();
  force_ = add("forceEdge", tr("Force"), tr("Both operators must share a kernel (--force)"));
  forbid_ = add("forbidEdge", tr("Forbid"), tr("The operators must not share a kernel (--forbid)"));
  leave_ =
      add("leaveEdge", tr("Leave to the Strategy"), tr("Takes back what was asked of this edge"));
  by_hand_ =
      add("byHand", tr("By Hand"),
          tr("Merge the kernels of both, split an operator out of its kernel, pin a kernel"));
  auto* menu = new QMenu(by_hand_);
  menu->setToolTipsVisible(true);
  by_hand_->setMenu(menu);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  column->setSpacing(6);
  column->addWidget(text_);
  column->addLayout(row_);
  connect(force_, &QPushButton::clicked, this, [this] { ask_for(Wish::Force); });
  connect(forbid_, &QPushButton::clicked, this, [this] { ask_for(Wish::Forbid); });
  connect(leave_, &QPushButton::clicked, this, [this] { ask_for(Wish::Leave); });
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    menu->clear();
    fill_edge_menu(*menu, *document_, {decision_});
  });
  connect(fuse_, &QPushButton::clicked, this, [this] { guess(true); });
  connect(keep_, &QPushButton::clicked, this, [this] { guess(false); });
}

void VerdictPanel::ask_for(Wish wish) {
  ask(*document_, {{decision_.producer, decision_.consumer}}, wish);
}

void VerdictPanel::add_action(QPushButton* button) {
  row_->insertWidget(row_->indexOf(leave_), button);
}

void VerdictPanel::guess(bool fused) {
  const Theme& t = theme();
  if (decision_.forced) {  // that is no judgement of the strategy's to be guessed
    outcome_ = tr("As you asked for it yourself.") + "<br>";
    emit guessed({decision_.producer, decision_.consumer});
    return;
  }
  const bool right = fused == decision_.fused;
  FusionStage& stage = document_->fusion();
  stage.count_guess(right);
  outcome_ =
      QString("<span style='color:%1'>%2</span> %3 %4<br>")
          .arg((right ? t.good : t.error).name(),
               right ? tr("✓ As you said:") : tr("✕ Not as you said:"), ends_html(),
               tr("%1 of %2 guesses right.").arg(stage.score().right).arg(stage.score().guesses));
  emit guessed({decision_.producer, decision_.consumer});
}

// What was guessed: the reason may name the kernels that the ends are in, and not the ends.
QString VerdictPanel::ends_html() const {
  const auto graph = document_->history().last_graph();
  const auto name = [&](graph::NodeId end) {
    const graph::Node* node = graph->find(end);
    return node ? text(node->name).toHtmlEscaped() : QString();
  };
  return (decision_.fused ? tr("%1 and %2 share a kernel.") : tr("%1 and %2 are in two kernels."))
      .arg(name(decision_.producer), name(decision_.consumer));
}

QString VerdictPanel::edge_html() const {
  const auto graph = document_->history().last_graph();
  const graph::Node *producer = graph->find(decision_.producer),
                    *consumer = graph->find(decision_.consumer);
  if (!producer || !consumer) return {};
  const auto node = [](const graph::Node& node) {
    return QString("<b>%1</b> (%2)")
        .arg(text(node.name).toHtmlEscaped(), text(operator_name(node)).toHtmlEscaped());
  };
  const graph::Value* value = graph->find(decision_.value);
  return node(*producer) + " → " + node(*consumer) +
         QString(" <span style='color:%1'>%2</span>")
             .arg(theme().muted.name(), value ? text(to_string(value->type)) : QString());
}

void VerdictPanel::show_decision(const fusion::Decision& decision, bool hidden) {
  if (&decision != shown_) outcome_.clear();
  decision_ = decision;
  shown_ = &decision;
  text_->setText(
      hidden ? tr("One kernel for ") + edge_html() + tr("? The verdict shows once you have said.")
             : edge_html() + "<br>" + outcome_ + verdict_html(decision_, *document_->cost_model()));
  const Wish wish = wish_for(*document_, {decision_.producer, decision_.consumer});
  force_->setVisible(!hidden && wish != Wish::Force);
  forbid_->setVisible(!hidden && wish != Wish::Forbid);
  leave_->setVisible(!hidden && wish != Wish::Leave);
  by_hand_->setVisible(!hidden);
  for (QPushButton* guess : {fuse_, keep_}) {
    guess->setVisible(document_->fusion().is_guessing());
    guess->setEnabled(hidden);
  }
}

}  // namespace loopglass::views
