#include "views/tuning/tuning_controls.h"

#include "core/runtime/thread_pool.h"
#include "views/text.h"
#include "views/widgets/kept_value.h"
#include "views/widgets/pass_on_undo.h"
#include "views/widgets/wrap_layout.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>

namespace loopglass::views {

namespace {

// What is chosen says what it is, as its entries do.
void tell_of_choice(QComboBox* box) {
  const auto tell = [box] { box->setToolTip(box->currentData(Qt::ToolTipRole).toString()); };
  QObject::connect(box, &QComboBox::currentIndexChanged, box, tell);
  tell();
}

template <class Kinds>
QComboBox* choice_of(const Kinds& kinds, const QString& name) {
  auto* box = new QComboBox;
  box->setObjectName(name);
  for (const auto& kind : kinds) {
    box->addItem(text(kind.name));
    box->setItemData(box->count() - 1, text(kind.doc), Qt::ToolTipRole);
  }
  tell_of_choice(box);
  return box;
}

QSpinBox* number_of(const QString& name, int least, int most, int value) {
  auto* box = new QSpinBox;
  box->setObjectName(name);
  box->setRange(least, most);
  box->setValue(value);
  pass_on_undo(box);
  return box;
}

}  // namespace

TuningControls::TuningControls(QWidget* parent) : QWidget(parent) {
  auto* row = new WrapLayout(6, this);
  row->setContentsMargins(8, 4, 8, 4);
  const auto field = [&](const QString& name, QWidget* widget) {
    auto* label = new QLabel(name);
    label->setBuddy(widget);
    row->addWidget(label);
    row->addWidget(widget);
    keep_value(widget);
  };
  space_ = choice_of(tune::all_space_kinds(), "tuningSpace");
  search_ = choice_of(tune::all_search_kinds(), "tuningSearch");
  search_->setCurrentText("droplet");
  model_ = choice_of(tune::all_cost_model_kinds(), "tuningModel");
  model_->setCurrentText("trees-stores");
  layout_ = new QComboBox;
  layout_->setObjectName("tuningLayout");
  layout_->addItem(tr("as written"));
  layout_->setItemData(0, tr("constants lie as scripts of the space have it"), Qt::ToolTipRole);
  for (const tune::Layout layout : tune::all_layouts) {
    layout_->addItem(text(name(layout)));
    layout_->setItemData(layout_->count() - 1, text(tune::doc(layout)), Qt::ToolTipRole);
  }
  tell_of_choice(layout_);
  count_ = number_of("tuningTrials", 1, 1'000'000, 128);
  count_->setToolTip(
      tr("Schedules to be measured; of all kernels so many for each, shared out to those that "
         "promise most"));
  threads_ = number_of("tuningThreads", 1, std::max(1, runtime::hardware_threads()), 1);
  seed_ = number_of("tuningSeed", 1, 1'000'000, 1);
  field(tr("S&pace"), space_);
  field(tr("Sea&rch"), search_);
  field(tr("&Model"), model_);
  field(tr("La&yout"), layout_);
  field(tr("Tr&ials"), count_);
  field(tr("Threa&ds"), threads_);
  field(tr("Seed"), seed_);
  const auto button = [&](const QString& label, const QString& name, const QString& tip) {
    auto* made = new QPushButton(label);
    made->setObjectName(name);
    made->setToolTip(tip);
    row->addWidget(made);
    return made;
  };
  start_ = button(tr("&Tune"), "tuningStart", {});
  start_all_ = button(tr("All Ker&nels"), "tuningStartAll", {});
  pause_ = button(tr("P&ause"), "tuningPause", tr("Holds the run between two trials"));
  pause_->setCheckable(true);
  stop_ = button(tr("St&op"), "tuningStop", tr("Ends the run; what was measured stays"));
  state_ = new QLabel;
  state_->setObjectName("tuningState");
  state_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  row->addWidget(state_);
  connect(start_, &QPushButton::clicked, this, &TuningControls::startWanted);
  connect(start_all_, &QPushButton::clicked, this, &TuningControls::startAllWanted);
  connect(stop_, &QPushButton::clicked, this, &TuningControls::stopWanted);
  connect(pause_, &QPushButton::toggled, this, [this](bool is_held) {
    pause_->setText(is_held ? tr("Go &On") : tr("P&ause"));
    emit pauseWanted(is_held);
  });
  for (QComboBox* box : {space_, search_, model_, layout_})
    connect(box, &QComboBox::currentIndexChanged, this, &TuningControls::changed);
  for (QSpinBox* box : {count_, threads_, seed_})
    connect(box, &QSpinBox::valueChanged, this, &TuningControls::changed);
}

tune::TuneSettings TuningControls::settings() const {
  tune::TuneSettings settings;
  settings.space = space_->currentText().toStdString();
  settings.search = search_->currentText().toStdString();
  settings.cost_model = model_->currentText().toStdString();
  if (layout_->currentIndex() > 0)
    settings.layout = tune::layout_named(layout_->currentText().toStdString());
  settings.trials = static_cast<std::size_t>(count_->value());
  settings.seed = static_cast<std::uint64_t>(seed_->value());
  settings.round = 8;  // sooner something to see
  return settings;
}

int TuningControls::threads() const { return threads_->value(); }

void TuningControls::show_state(const QString& hindrance, const QString& hindrance_for_all,
                                bool is_working) {
  start_->setEnabled(hindrance.isEmpty());
  start_->setToolTip(hindrance.isEmpty()
                         ? tr("Looks for faster schedules of the kernel that is shown")
                         : hindrance);
  start_all_->setEnabled(hindrance_for_all.isEmpty());
  start_all_->setToolTip(
      hindrance_for_all.isEmpty()
          ? tr("Tunes all kernels of the network: so many trials of each, shared "
               "out by what they promise")
          : hindrance_for_all);
  pause_->setEnabled(is_working);
  if (!is_working && pause_->isChecked()) pause_->setChecked(false);
  stop_->setEnabled(is_working);
  for (QWidget* choice :
       std::initializer_list<QWidget*>{space_, search_, model_, layout_, count_, threads_, seed_})
    choice->setEnabled(!is_working);
}

void TuningControls::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  tell(state_->text());
}

void TuningControls::tell(const QString& words) {
  state_->setText(words);
  state_->setToolTip(words);
  // In a row of its own rather than cut, unless the pane is narrow anyway.
  constexpr int enough = 560;
  state_->setMinimumWidth(
      std::max(0, std::min({state_->sizeHint().width(), enough, width() - 24})));
}

void TuningControls::toggle_pause() {
  if (pause_->isEnabled()) pause_->toggle();
}

}  // namespace loopglass::views
