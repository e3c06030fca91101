#include "views/bisect/bisect_view.h"

#include "views/bisect/place_box.h"
#include "views/counted.h"
#include "views/document/command_line.h"
#include "views/document/stand_ins.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/command_bar.h"
#include "views/widgets/problem_text.h"
#include "views/widgets/work_page.h"
#include "views/widgets/wrap_layout.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace loopglass::views {
namespace {

const QString bisect_lane = "bisect";
constexpr int step_role = Qt::UserRole, rewrites_role = Qt::UserRole + 1;

QString joined(const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& name : names) list << text(name);
  return list.isEmpty() ? QObject::tr("nothing") : list.join(", ");
}

}  // namespace

// What a search needs, on whichever thread it runs.
struct BisectView::Wish {
  std::shared_ptr<Session> session;
  Toolchain toolchain;
  pass::Position good, bad;
  bool by_time = false, thorough = false;
  double limit = 0;
  std::string strategy;
};

BisectView::BisectView(Document* document, QWidget* parent)
    : QWidget(parent), document_(document), probes_(new QTreeWidget), command_(new CommandBar) {
  probes_->setObjectName("bisectProbes");
  probes_->setColumnCount(3);
  probes_->setHeaderLabels({tr("Verdict"), tr("Place"), tr("Why")});
  probes_->setRootIsDecorated(false);
  probes_->setUniformRowHeights(true);
  probes_->header()->resizeSection(0, 70);
  probes_->header()->resizeSection(1, 210);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_form());
  layout->addWidget(probes_, 1);
  layout->addWidget(make_outcome());
  layout->addWidget(command_);

  connect(&document->history(), &HistoryStage::historyChanged, this, &BisectView::forget);
  connect(
      &document->jobs(), &JobQueue::changed, this,
      [this] {
        if (running_ && !document_->jobs().busy(bisect_lane)) show_running(false);
      },
      Qt::QueuedConnection);
  for (const auto signal : {&QTreeWidget::itemClicked, &QTreeWidget::itemActivated})
    connect(probes_, signal, this, [this](QTreeWidgetItem* row) {
      document_->history().set_position(
          {static_cast<std::size_t>(row->data(0, step_role).toULongLong()),
           static_cast<std::size_t>(row->data(0, rewrites_role).toULongLong())});
    });
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    if (report_) say(outcome_html(*report_));
  });
  forget();
}

QWidget* BisectView::make_form() {
  auto* box = new QWidget;
  auto* form = new QFormLayout(box);
  form->setContentsMargins(6, 6, 6, 4);
  form->setVerticalSpacing(4);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  good_ = new PlaceBox(document_, "input");
  good_->setObjectName("bisectGood");
  bad_ = new PlaceBox(document_, "last");
  bad_->setObjectName("bisectBad");
  by_ = new QComboBox;
  by_->setObjectName("bisectBy");
  by_->addItem(tr("results differ"), "values");
  by_->addItem(tr("slower"), "time");
  by_->setToolTip(
      tr("What is bad about the later place: its outputs are not those of the earlier, or it takes "
         "longer"));
  limit_name_ = new QLabel;
  limit_ = new QLineEdit;
  limit_->setObjectName("bisectLimit");
  limit_->setMaximumWidth(80);
  thorough_ = new QCheckBox(tr("thorough"));
  thorough_->setToolTip(
      tr("Ask every step instead of halving, where good and bad may take turns (--thorough)"));
  run_ = new QPushButton(tr("Find"));
  run_->setObjectName("bisectRun");
  run_->setToolTip(tr("Find the first rewrite after which it is bad"));
  stop_ = new QPushButton(tr("Stop"));
  stop_->setObjectName("bisectStop");
  auto* places = new QHBoxLayout;
  places->setSpacing(6);
  places->addWidget(good_, 1);
  places->addWidget(new QLabel(tr("to")));
  places->addWidget(bad_, 1);
  form->addRow(tr("Good"), places);
  auto* how = new WrapLayout(6);
  how->addWidget(by_);
  how->addWidget(limit_name_);
  how->addWidget(limit_);
  how->addWidget(thorough_);
  how->addStretch();
  how->addWidget(run_);
  how->addWidget(stop_);
  form->addRow(tr("Bad if"), how);
  connect(by_, &QComboBox::currentIndexChanged, this, [this] {
    limit_->setText(
        QString::number(by_time() ? debug::SlowdownOptions{}.factor : debug::Tolerance{}.relative));
    follow_form();
  });
  limit_->setText(QString::number(debug::Tolerance{}.relative));
  for (PlaceBox* place : {good_, bad_})
    connect(place, &PlaceBox::changed, this, &BisectView::follow_form);
  connect(limit_, &QLineEdit::textEdited, this, &BisectView::follow_form);
  connect(thorough_, &QCheckBox::toggled, this, &BisectView::follow_form);
  connect(run_, &QPushButton::clicked, this, &BisectView::start);
  connect(limit_, &QLineEdit::returnPressed, this, &BisectView::start);
  connect(stop_, &QPushButton::clicked, this, [this] { document_->jobs().cancel(bisect_lane); });
  return box;
}

QWidget* BisectView::make_outcome() {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(6, 4, 6, 4);
  column->setSpacing(4);
  progress_text_ = new QLabel;
  progress_text_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(8);
  outcome_ = new QLabel;
  outcome_->setObjectName("bisectOutcome");
  outcome_->setTextFormat(Qt::RichText);
  outcome_->setWordWrap(true);
  outcome_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  go_ = new QPushButton(tr("Go There"));
  go_->setObjectName("bisectGo");
  go_->setToolTip(
      tr("Go to the place right after the guilty rewrite; the place before it is what it is "
         "compared with"));
  go_->hide();
  connect(go_, &QPushButton::clicked, this,
          [this] { document_->history().set_position(report_->culprit->after); });
  auto* row = new QHBoxLayout;
  row->addWidget(outcome_, 1);
  row->addWidget(go_, 0, Qt::AlignTop);
  column->addWidget(progress_text_);
  column->addWidget(progress_);
  column->addLayout(row);
  return box;
}

bool BisectView::by_time() const { return by_->currentData().toString() == "time"; }

void BisectView::forget() {
  document_->jobs().cancel(bisect_lane);
  ++search_;
  report_.reset();
  probes_->clear();
  go_->hide();
  show_running(false);
  follow_form();
}

void BisectView::say(const QString& html) {
  outcome_->setText(html);
  outcome_->setVisible(!html.isEmpty());
}

void BisectView::show_running(bool running) {
  const bool stopped = running_ && !running;
  running_ = running;
  run_->setVisible(!running);
  stop_->setVisible(running);
  progress_->setVisible(running);
  progress_text_->setVisible(running);
  if (running) {
    progress_->setRange(0, 0);
    progress_text_->clear();
    say({});
  } else if (stopped) {
    say(tr("Stopped."));
  }
}

// The search that the form asks for; what is wrong with the form is said.
std::optional<BisectView::Wish> BisectView::wish() {
  const auto refuse = [this](const Diagnostic& problem) {
    say(problem_text(problem));
    return std::nullopt;
  };
  if (!document_->history().recorded()) return {};
  const auto good = good_->place(), bad = bad_->place();
  if (!good) return refuse(good.error());
  if (!bad) return refuse(bad.error());
  if (*good == *bad)
    return refuse(
        {Code::UsageInvalid, "both places are the same", {}, "choose two different ones"});
  bool is_number = false;
  const double limit = limit_->text().toDouble(&is_number);
  if (!is_number || limit < 0 || (by_time() && limit == 0))
    return refuse(
        {Code::UsageInvalid,
         "'" + limit_->text().toStdString() + "' is no " + (by_time() ? "factor" : "tolerance"),
         {},
         by_time() ? "1.1 means that a tenth more time is bad"
                   : "1e-4 is a relative error of a ten-thousandth"});
  return Wish{document_->session(),
              document_->toolchain(),
              std::min(*good, *bad),
              std::max(*good, *bad),
              by_time(),
              thorough_->isChecked(),
              limit,
              document_->strategy().toStdString()};
}

void BisectView::follow_form() {
  limit_name_->setText(by_time() ? tr("by a factor of") : tr("beyond a relative error of"));
  if (running_) return;
  say(report_ ? outcome_html(*report_)
      : document_->history().recorded()
          ? tr("Halves the history between the two steps again and again, until "
               "one rewrite is left.")
          : tr("Open a model to search its history."));
  const auto asked = wish();
  run_->setEnabled(asked.has_value());
  command_->set_command(asked ? command() : QString());
}

// --- the search ---

Result<debug::BisectReport> BisectView::search(const Wish& wish, const debug::Control& control,
                                               const std::function<void(debug::Probe)>& tell) {
  debug::Evaluator evaluator(wish.toolchain);
  const auto reference =
      TRY(wish.session->graph_at(wish.good.step, wish.good.rewrites, control.cancellation));
  debug::Predicate bad;
  if (wish.by_time) {
    debug::SlowdownOptions options;
    options.factor = wish.limit;
    options.strategy = wish.strategy;
    bad = TRY(debug::is_slower(wish.toolchain, reference, options, {{}, control.cancellation}));
  } else {
    debug::Tolerance tolerance;
    tolerance.relative = wish.limit;
    tolerance.relative_float16 = std::max(wish.limit, tolerance.relative_float16);
    bad = debug::results_differ(evaluator, reference,
                                debug::random_inputs(TRY(wish.session->model())->graph, 1),
                                tolerance, {{}, control.cancellation});
  }
  const debug::Predicate told =
      [&](const pass::Position& place,
          const std::shared_ptr<const graph::Graph>& graph) -> Result<debug::Verdict> {
    debug::Verdict verdict = TRY(bad(place, graph));
    tell({place, verdict});
    return verdict;
  };
  return debug::bisect(*wish.session, wish.good, wish.bad, told, {wish.thorough, control});
}

void BisectView::start() {
  const auto asked = wish();
  if (!asked || running_) return;
  report_.reset();
  probes_->clear();
  go_->hide();
  command_->set_command(command());
  show_running(true);
  const int search = ++search_;
  JobQueue& jobs = document_->jobs();
  using Report = std::pair<QString, double>;
  const auto show_progress = handed_over<Report>(jobs, this, [this, search](const Report& report) {
    if (search != search_ || !running_) return;
    progress_text_->setText(report.first);
    progress_->setRange(0, 1000);
    progress_->setValue(static_cast<int>(report.second * 1000));
  });
  const auto tell =
      handed_over<debug::Probe>(jobs, this, [this, search](const debug::Probe& probe) {
        if (search == search_) add_probe(probe);
      });
  jobs.run<debug::BisectReport>(
      bisect_lane, tr("Searching for the guilty rewrite"),
      [wish = *asked, show_progress, tell](const JobContext& context) {
        const Progress progress = [&](std::string_view what, double fraction) {
          context.progress(what, fraction);
          show_progress(
              {QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())), fraction});
        };
        return BisectView::search(wish, {progress, context.cancellation}, tell);
      },
      [this](debug::BisectReport report) { accept(std::move(report)); },
      [this](const Diagnostic& problem) {
        show_running(false);
        say(problem_text(problem));
      },
      this);
}

void BisectView::add_probe(const debug::Probe& probe) {
  const auto history = document_->history().recorded();
  if (!history) return;
  const Theme& t = theme();
  const QString place = text(pass::describe(probe.position, *history)),
                why = text(probe.verdict.text);
  auto* row = new QTreeWidgetItem({probe.verdict.bad ? tr("✕ bad") : tr("✓ good"), place, why});
  row->setForeground(0, probe.verdict.bad ? t.error : t.good);
  row->setToolTip(1, place);
  row->setToolTip(2, why);
  row->setData(0, step_role, QVariant::fromValue(static_cast<qulonglong>(probe.position.step)));
  row->setData(0, rewrites_role,
               QVariant::fromValue(static_cast<qulonglong>(probe.position.rewrites)));
  probes_->addTopLevelItem(row);
  probes_->scrollToItem(row);
}

void BisectView::accept(debug::BisectReport report) {
  report_ = std::move(report);
  show_running(false);
  say(outcome_html(*report_));
  go_->setVisible(report_->culprit.has_value());
}

QString BisectView::outcome_html(const debug::BisectReport& report) const {
  const Theme& t = theme();
  const auto coloured = [](const QColor& color, const QString& words) {
    return QString("<span style='color:%1'>%2</span>").arg(color.name(), words);
  };
  const auto history = document_->history().recorded();
  if (!history) return {};
  QString warning = by_time() ? QString() : stand_in_warning(*document_);
  if (!warning.isEmpty()) warning.prepend("<br>");
  switch (report.outcome) {
    case debug::BisectOutcome::NoDisagreement:
      return coloured(t.good, by_time()
                                  ? tr("✓ The later place is not slower: there is nothing to find.")
                                  : tr("✓ Both places give the same results within the tolerance: "
                                       "there is nothing to find.")) +
             warning;
    case debug::BisectOutcome::BadFromTheStart:
      return coloured(t.warning,
                      tr("⚠ The good place is bad already: what is to blame lies before it.")) +
             warning;
    case debug::BisectOutcome::Found: break;
  }
  const debug::Culprit& culprit = *report.culprit;
  const QString where = text(pass::describe(culprit.after, *history)).toHtmlEscaped();
  // First of all, as it may be all there is to say.
  const QString allowed =
      culprit.is_allowed
          ? "<br>" + coloured(t.warning, tr("It changes results on purpose, as the model lets it; "
                                            "with %1 switched off, others are found.")
                                             .arg(text(culprit.pass).toHtmlEscaped()))
          : QString();
  QString html;
  if (culprit.rewrite)
    html =
        coloured(t.error, tr("✕ The guilty rewrite: <b>%1</b>")
                              .arg(text(culprit.rewrite->rule).toHtmlEscaped())) +
        tr(", number %1 of %2").arg(culprit.number).arg(text(culprit.pass).toHtmlEscaped()) +
        allowed + "<br>" + text(culprit.rewrite->detail).toHtmlEscaped() + "<br>" +
        coloured(t.muted,
                 tr("%1 → %2").arg(joined(culprit.consumed), joined(culprit.made)).toHtmlEscaped());
  else
    html = coloured(t.error, tr("✕ Guilty: what <b>%1</b> does beside its rewrites").arg(where)) +
           allowed;
  html += "<br>" + coloured(t.muted, tr("before: ")) +
          text(culprit.verdict_before.text).toHtmlEscaped() + "<br>" +
          coloured(t.muted, tr("after: ")) + text(culprit.verdict_after.text).toHtmlEscaped();
  if (!report.good_again.empty())
    html +=
        "<br>" +
        coloured(
            t.warning,
            tr("⚠ Good again at %1: more than one change is at work.")
                .arg(text(pass::describe(report.good_again.front(), *history)).toHtmlEscaped()));
  return html + warning;
}

QString BisectView::command() const {
  QString command = "loopglassc bisect " + model_words(*document_) + " " +
                    shell_word(good_->text()) + " " + shell_word(bad_->text()) + " --by " +
                    by_->currentData().toString() + (by_time() ? " --factor " : " --tolerance ") +
                    shell_word(limit_->text());
  if (by_time()) command += strategy_words(*document_);
  if (thorough_->isChecked()) command += " --thorough";
  return command;
}

}  // namespace loopglass::views
