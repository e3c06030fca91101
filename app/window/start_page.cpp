#include "app/window/start_page.h"

#include "app/window/earlier_sessions.h"
#include "app/window/recent_models.h"
#include "samples/kernel_samples.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/wrap_layout.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyleOptionButton>
#include <QStylePainter>
#include <QVBoxLayout>

#include <utility>

namespace loopglass::app {
namespace {

QLabel* label(const QString& text, const char* role) {
  auto* result = new QLabel(text);
  result->setObjectName(role);
  result->setWordWrap(true);
  return result;
}

constexpr std::size_t most_rows = 5;
constexpr int least_width_of_two_cards = 560;

// A line to click, in as much room as there is.
class Link : public QPushButton {
 public:
  explicit Link(const QString& words) : QPushButton(views::plain(words)) {
    setObjectName("recentFile");
    setFlat(true);
  }

  QSize minimumSizeHint() const override { return {0, QPushButton::minimumSizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text = fontMetrics().elidedText(option.text, Qt::ElideMiddle, width());
    painter.drawControl(QStyle::CE_PushButton, option);
  }
};

}  // namespace

StartPage::StartPage(const RecentModels* recent, QWidget* parent)
    : QScrollArea(parent), recent_(recent), grid_(new QGridLayout), recent_rows_(new QVBoxLayout) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  auto* page = new QWidget;
  page->setObjectName("startPage");
  auto* column = new QVBoxLayout;
  column->setSpacing(8);
  column->addStretch(1);
  greeting_ = {label(tr("Loopglass"), "startTitle"),
               label(tr("Open an ONNX model and watch it become machine code. Drop a file anywhere "
                        "in this window, or begin with a sample."),
                     "startHint")};
  for (QLabel* words : greeting_) column->addWidget(words);
  auto* open = new QPushButton(tr("&Open a model…"));
  open->setObjectName("openModel");
  open->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(open, &QPushButton::clicked, this, &StartPage::openWanted);
  column->addWidget(open);
  column->addSpacing(16);
  column->addWidget(label(tr("Samples"), "startHeading"));
  grid_->setSpacing(8);
  for (const samples::Sample& sample : samples::all_samples())
    cards_.push_back(make_sample_card(sample));
  place_cards();
  column->addLayout(grid_);
  column->addSpacing(8);
  column->addWidget(label(tr("Kernels by themselves, as text"), "startHeading"));
  column->addWidget(make_kernels());
  column->addLayout(recent_rows_);
  column->addStretch(2);

  auto* centred = new QHBoxLayout(page);
  auto* holder = new QWidget;
  holder->setMaximumWidth(820);
  holder->setLayout(column);
  centred->addStretch(1);
  centred->addWidget(holder, 8);
  centred->addStretch(1);
  setWidget(page);
  connect(&views::ThemeNotifier::instance(), &views::ThemeNotifier::changed, this,
          &StartPage::apply_theme);
  apply_theme();
}

QWidget* StartPage::make_sample_card(const samples::Sample& sample) {
  auto* card = new QPushButton;
  card->setObjectName("sampleCard");
  card->setAccessibleName(QString::fromStdString(sample.title));
  card->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  auto* rows = new QVBoxLayout(card);
  rows->setContentsMargins(12, 8, 12, 8);
  rows->setSpacing(2);
  auto* title = label(QString::fromStdString(sample.title), "cardTitle");
  auto* doc = label(QString::fromStdString(sample.doc), "cardText");
  for (QLabel* text : {title, doc}) {
    text->setAttribute(Qt::WA_TransparentForMouseEvents);
    rows->addWidget(text);
  }
  rows->addStretch();
  card->setMinimumHeight(82);
  connect(card, &QPushButton::clicked, this,
          [this, &sample] { emit modelChosen(QString::fromStdString(sample.name), {}); });
  return card;
}

QWidget* StartPage::make_kernels() {
  auto* kernels = new QWidget;
  auto* row = new views::WrapLayout(8, kernels);
  row->setContentsMargins(0, 0, 0, 0);
  for (const samples::KernelSample& sample : samples::all_kernel_samples()) {
    auto* button = new QPushButton(views::plain(views::text(sample.title)));
    button->setObjectName("kernelSample");
    button->setToolTip(views::text(sample.doc));
    connect(button, &QPushButton::clicked, this,
            [this, &sample] { emit modelChosen(views::text(sample.name), {}); });
    row->addWidget(button);
  }
  return kernels;
}

void StartPage::place_cards() {
  const int columns = viewport()->width() < least_width_of_two_cards ? 1 : 2;
  if (columns == std::exchange(columns_, columns)) return;
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    const int place = static_cast<int>(i);
    grid_->addWidget(cards_[i], place / columns, place % columns);
  }
}

void StartPage::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  place_cards();
  // Where panes leave little height there are samples to be seen rather than words.
  constexpr int least_height_of_greeting = 260;
  for (QLabel* words : greeting_) words->setVisible(height() >= least_height_of_greeting);
}

void StartPage::showEvent(QShowEvent* event) {
  fill_recent();
  QScrollArea::showEvent(event);
}

void StartPage::fill_recent() {
  while (QLayoutItem* item = recent_rows_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  add_sessions();
  const std::vector<RecentModel> models = recent_->all();
  if (models.empty()) return;
  recent_rows_->addSpacing(12);
  recent_rows_->addWidget(label(tr("Recent"), "startHeading"));
  for (const RecentModel& recent : std::span(models).first(std::min(most_rows, models.size())))
    add_link(recent.words(), {}, [this, recent] { emit modelChosen(recent.model, recent.inputs); });
}

void StartPage::add_sessions() {
  const std::vector<EarlierSession> sessions = earlier_sessions(most_rows);
  if (sessions.empty()) return;
  recent_rows_->addSpacing(12);
  recent_rows_->addWidget(label(tr("Earlier sessions"), "startHeading"));
  for (const EarlierSession& earlier : sessions)
    add_link(earlier.words, earlier.file,
             [this, file = earlier.file] { emit sessionChosen(file); });
}

void StartPage::add_link(const QString& words, const QString& tip,
                         const std::function<void()>& open) {
  auto* button = new Link(words);
  button->setToolTip(tip);
  // The click may take the row away.
  connect(button, &QPushButton::clicked, this, open, Qt::QueuedConnection);
  recent_rows_->addWidget(button, 0, Qt::AlignLeft);
}

void StartPage::apply_theme() {
  const views::Theme& t = views::theme();
  setStyleSheet(QString(R"(
    #startPage { background: %1; }
    #startTitle { font-size: 24pt; font-weight: 600; }
    #startHint, #cardText { color: %2; }
    #startHeading { font-size: 12pt; font-weight: 600; }
    #openModel { padding: 6px 16px; background: %5; color: %6; border: none; border-radius: 4px;
                 font-weight: 600; }
    #sampleCard { background: %3; border: 1px solid %4; border-radius: 6px; }
    #sampleCard:hover, #sampleCard:focus { border-color: %5; }
    #kernelSample { padding: 5px 12px; background: %3; border: 1px solid %4; border-radius: 6px; }
    #kernelSample:hover, #kernelSample:focus { border-color: %5; }
    #cardTitle { font-weight: 600; }
    #recentFile { border: none; color: %5; text-align: left; padding: 2px 0; }
    #recentFile:focus { text-decoration: underline; }
  )")
                    .arg(t.surface.name(), t.muted.name(), t.raised.name(), t.border.name(),
                         t.accent.name(), t.on_accent.name()));
}

}  // namespace loopglass::app
