#include "views/iterations/iterations_view.h"

#include "core/locality/as_in_memory.h"
#include "core/loop/blocks.h"
#include "core/loop/symbols.h"
#include "core/loop/text.h"
#include "views/document/kernel_title.h"
#include "views/document/lanes.h"
#include "views/document/stage_page.h"
#include "views/iterations/iteration_grid.h"
#include "views/iterations/reuse_table.h"
#include "views/iterations/touched_memory.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/clicked_slider.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/problem_text.h"
#include "views/widgets/seen_watch.h"
#include "views/widgets/tool_row.h"

#include <QComboBox>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSlider>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace loopglass::views {
namespace {

constexpr int grid_beside_memory = 620;  // wide enough for both
constexpr int frame_ms = 33;
constexpr int frames_of_a_play = 300;  // ten seconds for all of it

}  // namespace

IterationsView::IterationsView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      watch_(new SeenWatch(this)),
      now_(make_side()),
      before_(make_side()),
      sides_(new QSplitter(Qt::Horizontal)),
      block_(new QComboBox),
      down_(new QComboBox),
      across_(new QComboBox),
      play_(new QToolButton),
      compare_(new QToolButton),
      slider_(new ClickedSlider(Qt::Horizontal)),
      words_(new QLabel),
      problem_(new QLabel),
      table_(new ReuseTable) {
  sides_->addWidget(before_.page);
  sides_->addWidget(now_.page);
  sides_->setChildrenCollapsible(false);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(sides_);
  split->addWidget(table_);
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 1);
  words_->setObjectName("iterationWords");
  words_->setMargin(4);
  words_->setTextFormat(Qt::PlainText);
  words_->setWordWrap(true);
  words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  problem_->setObjectName("iterationProblem");
  problem_->setTextFormat(Qt::RichText);
  problem_->setWordWrap(true);
  problem_->setMargin(6);
  problem_->hide();
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(new KernelTitle(document));
  column->addWidget(make_tools());
  column->addWidget(slider_);
  column->addWidget(words_);
  column->addWidget(problem_);
  column->addWidget(split, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* page = new StagePage(document, Stage::Kernel, content,
                             tr("Select an operator to see its kernel's iterations."));
  page->hide_while_guessing();
  layout->addWidget(page);
  setFocusProxy(slider_);
  before_.page->hide();
  clock_.setInterval(frame_ms);

  connect(&clock_, &QTimer::timeout, this, [this] {
    const int pace = std::max(1, slider_->maximum() / frames_of_a_play);
    if (step() >= slider_->maximum()) return play(false);
    show_step(step() + pace);
  });
  connect(slider_, &QSlider::valueChanged, this, [this](int step) {
    for (Side* side : {&now_, &before_}) {
      side->grid->show_step(step);
      side->memory->show_step(step);
    }
    show_words();
    emit lookChanged();
  });
  for (const Side* side : {&now_, &before_})
    connect(side->grid, &IterationGrid::stepWanted, this, &IterationsView::show_step);
  connect(watch_, &SeenWatch::changed, this, &IterationsView::show_or_leave);
  const auto follow = [this] {
    stale_ = true;
    if (watch_->is_seen()) refresh();
  };
  connect(document, &Document::modelChanged, this, [this] { wanted_.reset(); });
  connect(&document->kernels(), &KernelStage::kernelChanged, this, follow);
  connect(&document->kernels(), &KernelStage::loopStepChanged, this, follow);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    table_->viewport()->update();
    update();
  });
}

IterationsView::Side IterationsView::make_side() {
  Side side{new QWidget, new QLabel, new IterationGrid, new TouchedMemory, nullptr, nullptr};
  side.title->setMargin(4);
  side.title->setTextFormat(Qt::PlainText);
  side.title->setForegroundRole(QPalette::PlaceholderText);
  side.title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  side.title->setWordWrap(true);
  auto* split = new FlowSplitter(grid_beside_memory);
  split->addWidget(side.grid);
  split->addWidget(side.memory);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 1);
  auto* column = new QVBoxLayout(side.page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(side.title);
  column->addWidget(split, 1);
  return side;
}

QWidget* IterationsView::make_tools() {
  auto* row = new ToolRow;
  const auto name = [](const QString& words, QWidget* of) {
    auto* label = new QLabel(words);
    label->setBuddy(of);
    return label;
  };
  block_->setObjectName("iterationBlock");
  block_->setToolTip(tr("The block whose iterations are played"));
  down_->setObjectName("iterationDown");
  across_->setObjectName("iterationAcross");
  for (QComboBox* axes : {down_, across_}) {
    axes->setToolTip(
        tr("An axis of the grid: what the block iterates over, or a loop around it. "
           "Iterations of all others visit a cell again."));
    connect(axes, &QComboBox::currentIndexChanged, this, [this] {
      if (filling_) return;
      chosen();
      show_axes();
    });
  }
  connect(block_, &QComboBox::currentIndexChanged, this, [this] {
    if (filling_) return;
    chosen();
    refresh();
  });
  play_->setObjectName("playIterations");
  play_->setText(tr("Play"));
  play_->setCheckable(true);
  play_->setAutoRaise(true);
  play_->setToolTip(
      tr("Runs through the iterations in their order; drag the slider to go by hand"));
  connect(play_, &QToolButton::clicked, this, &IterationsView::play);
  compare_->setObjectName("compareIterations");
  compare_->setText(tr("Before"));
  compare_->setCheckable(true);
  compare_->setAutoRaise(true);
  compare_->setToolTip(tr("Beside it, the nest before the schedule's step that is shown"));
  connect(compare_, &QToolButton::clicked, this, [this] {
    chosen();
    refresh();
  });
  row->add(play_);
  row->add(compare_);
  row->add(name(tr("Block"), block_), 1);
  row->add(block_, 2);
  row->add(name(tr("Down"), down_), 1);
  row->add(down_, 3);
  row->add(name(tr("Across"), across_), 1);
  row->add(across_, 3);
  row->add_stretch();
  slider_->setObjectName("iterationStep");
  slider_->setAccessibleName(tr("Iteration"));
  return row;
}

int IterationsView::step() const { return slider_->value(); }
void IterationsView::show_step(int step) { slider_->setValue(step); }

void IterationsView::play(bool on) {
  if (on && step() >= slider_->maximum()) show_step(0);
  play_->setChecked(on);
  play_->setText(on ? tr("Pause") : tr("Play"));
  on ? clock_.start() : clock_.stop();
}

// --- to be shown again ---

SavedIterations IterationsView::saved() const {
  if (wanted_) return wanted_->look;
  return {block_->currentText().toStdString(), down_->currentText().toStdString(),
          across_->currentText().toStdString(), compare_->isChecked(), step()};
}

void IterationsView::resume(const SavedIterations& saved, const std::string& kernel,
                            std::optional<std::size_t> loop_step) {
  wanted_ = {saved, kernel, loop_step};
  stale_ = true;
  if (watch_->is_seen()) refresh();
}

void IterationsView::chosen() {
  wanted_.reset();
  emit lookChanged();
}

bool IterationsView::is_wanted_here() const {
  const auto plan = document_->fusion().plan();
  if (!wanted_ || !plan || !document_->kernels().group().valid()) return false;
  const bool is_kernel =
      wanted_->kernel.empty() || plan->group(document_->kernels().group()).name == wanted_->kernel;
  return is_kernel &&
         (!wanted_->loop_step || *wanted_->loop_step == document_->kernels().loop_step());
}

// Nobody waits for what is not seen; it is followed when it is.
void IterationsView::show_or_leave(bool is_seen) {
  if (is_seen && stale_) return refresh();
  if (is_seen || !document_->jobs().busy(lanes::iterations)) return;
  document_->jobs().cancel(lanes::iterations);
  stale_ = true;
}

// Lowering takes blocks away: the nest is that of the schedule's end then.
const loop::Func* IterationsView::nest() const {
  const auto kernel = document_->kernels().kernel();
  if (!kernel) return nullptr;
  const auto& schedule = kernel->stages->schedule;
  const std::size_t step = std::min(document_->kernels().loop_step(), schedule.size());
  return step == 0 ? &kernel->stages->initial : &schedule[step - 1].func;
}

const loop::Func* IterationsView::nest_before() const {
  const auto kernel = document_->kernels().kernel();
  if (!kernel) return nullptr;
  const auto& schedule = kernel->stages->schedule;
  const std::size_t step = std::min(document_->kernels().loop_step(), schedule.size());
  if (step == 0) return nullptr;
  return step == 1 ? &kernel->stages->initial : &schedule[step - 2].func;
}

std::string IterationsView::title_of(std::size_t step) const {
  const auto kernel = document_->kernels().kernel();
  return step == 0 ? "before the schedule"
                   : "the schedule in use, after " +
                         to_script(kernel->stages->schedule[step - 1].instruction);
}

void IterationsView::fill_blocks() {
  const QScopedValueRollback guard(filling_, true);
  const QString chosen = is_wanted_here() ? text(wanted_->look.block) : block_->currentText();
  block_->clear();
  for (const loop::Block* block : loop::blocks_of(nest()->body)) block_->addItem(text(block->name));
  const int known = block_->findText(chosen);
  block_->setCurrentIndex(
      known >= 0 ? known : std::max(0, block_->findText(text(locality::main_block(*nest())))));
}

void IterationsView::refresh() {
  stale_ = false;
  if (!nest()) {
    // Of a kernel that is gone nothing comes any more.
    document_->jobs().cancel(lanes::iterations);
    initial_shown_.clear();
    return clear();
  }
  if (is_wanted_here()) compare_->setChecked(wanted_->look.before);
  const auto kernel = document_->kernels().kernel();
  if (std::string initial = loop::to_text(kernel->stages->initial); initial != initial_shown_) {
    initial_shown_ = std::move(initial);
    clear();
    words_->setText(tr("Following the iterations of this kernel…"));
  }
  fill_blocks();
  const std::string block = block_->currentText().toStdString();
  if (block.empty())
    return fail({Code::UsageInvalid,
                 locality::why_no_block,
                 {},
                 "a block has iterations of its own: write the store into one"});
  struct Asked {
    loop::Func nest;
    std::string block;
  };
  std::vector<Asked> asked{{*nest(), block}};
  if (const loop::Func* before = nest_before(); before && compare_->isChecked()) {
    const bool has_block = std::ranges::any_of(loop::blocks_of(before->body),
                                               [&](const auto* b) { return b->name == block; });
    asked.push_back({*before, has_block ? block : locality::main_block(*before)});
  }
  const auto symbols = loop::symbol_values(*nest(), kernel->stages->program.extents);
  document_->jobs().run<Answer>(
      lanes::iterations, tr("Following iterations"),
      [asked, symbols,
       toolchain = document_->toolchain()](const JobContext& context) -> Result<Answer> {
        const auto followed = [&](const Asked& one) -> Result<Followed> {
          Followed found;
          found.iterations = std::make_shared<const locality::Iterations>(
              TRY(locality::iterations_of(one.nest, one.block, symbols,
                                          locality::default_iterations, context.cancellation)));
          found.dependences =
              std::make_shared<const locality::CarriedDependences>(*found.iterations);
          found.reuse = std::make_shared<const locality::Reuse>(TRY(locality::reuse_of(
              locality::as_in_memory(one.nest, toolchain.loop_passes), symbols, toolchain.machine,
              locality::default_accesses, context.progress, context.cancellation)));
          return found;
        };
        Answer answer{TRY(followed(asked.front())), {}};
        if (asked.size() > 1) answer.before = TRY(followed(asked.back()));
        return answer;
      },
      [this](const Answer& answer) { accept(answer); },
      [this](const Diagnostic& problem) { fail(problem); }, this);
}

void IterationsView::fail(const Diagnostic& problem) {
  if (problem.code == Code::Cancelled) return;
  clear();
  problem_->setText(problem_text(problem));
  problem_->show();
}

// What is shown is of a kernel that is not there any more.
void IterationsView::clear() {
  play(false);
  problem_->hide();
  for (Side* side : {&now_, &before_}) {
    side->iterations = nullptr;
    side->dependences = nullptr;
    side->grid->show_iterations(nullptr, -1, -1);
    side->memory->show_iterations(nullptr);
    side->title->clear();
  }
  table_->setRowCount(0);
  show_words();
}

void IterationsView::accept(const Answer& answer) {
  problem_->hide();
  const std::size_t step = std::min(document_->kernels().loop_step(),
                                    document_->kernels().kernel()->stages->schedule.size());
  now_.iterations = answer.now.iterations;
  now_.dependences = answer.now.dependences;
  now_.title->setText(text(title_of(step)));
  before_.iterations = answer.before ? answer.before->iterations : nullptr;
  before_.dependences = answer.before ? answer.before->dependences : nullptr;
  if (answer.before && before_.page->isHidden()) sides_->setSizes({1, 1});  // alike
  before_.page->setVisible(answer.before.has_value());
  if (answer.before) before_.title->setText(text(title_of(step - 1)));
  for (Side* side : {&now_, &before_}) side->memory->show_iterations(side->iterations);
  std::size_t most = now_.iterations->steps.size();
  if (before_.iterations) most = std::max(most, before_.iterations->steps.size());
  slider_->setRange(0, static_cast<int>(std::max<std::size_t>(most, 1)) - 1);
  slider_->setPageStep(std::max(1, slider_->maximum() / 20));
  table_->show_reuse(*answer.now.reuse, answer.before ? answer.before->reuse.get() : nullptr);
  fill_axes();
  if (is_wanted_here()) slider_->setValue(std::exchange(wanted_, {})->look.step);
  for (const Side* side : {&now_, &before_}) {
    side->grid->show_step(slider_->value());
    side->memory->show_step(slider_->value());
  }
  show_words();
}

// What was chosen stays where the block has it still; else two axes of what it computes, which are
// the same whatever loops run through them: those along which most of these iterations go, of
// elements before terms of a sum.
void IterationsView::fill_axes() {
  {
    const QScopedValueRollback guard(filling_, true);
    const auto& axes = now_.iterations->axes;
    std::vector<int> usual;
    for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis)
      if (!axes[static_cast<std::size_t>(axis)].is_loop) usual.push_back(axis);
    std::ranges::stable_sort(usual, std::greater(), [&](int index) {
      const auto& axis = axes[static_cast<std::size_t>(index)];
      return std::pair(axis.extent > 1 && !axis.is_summed, axis.extent);
    });
    if (usual.size() > 2) usual.resize(2);
    std::ranges::sort(usual);
    const bool wanted = is_wanted_here();
    const QString down = wanted ? text(wanted_->look.down) : down_->currentText(),
                  across = wanted ? text(wanted_->look.across) : across_->currentText();
    for (QComboBox* box : {down_, across_}) {
      box->clear();
      for (const auto& axis : axes) box->addItem(text(axis.name));
    }
    const auto choose = [&](QComboBox* box, const QString& chosen, std::size_t nth) {
      const int known = box->findText(chosen);
      box->setCurrentIndex(known >= 0           ? known
                           : nth < usual.size() ? usual[nth]
                           : usual.empty()      ? 0
                                                : usual.back());
    };
    choose(down_, down, 0);
    choose(across_, across, 1);
  }
  show_axes();
}

void IterationsView::show_axes() {
  now_.grid->show_iterations(now_.iterations, down_->currentIndex(), across_->currentIndex());
  now_.grid->show_dependences(now_.dependences);
  if (!before_.iterations) return;
  // Loops may have other names there; what the block iterates over has not.
  const auto& axes = before_.iterations->axes;
  const auto index_in = [&](const QComboBox* box) {
    const auto found = std::ranges::find(axes, box->currentText().toStdString(),
                                         &locality::Iterations::Axis::name);
    return found == axes.end() ? -1 : static_cast<int>(found - axes.begin());
  };
  before_.grid->show_iterations(before_.iterations, index_in(down_), index_in(across_));
  before_.grid->show_dependences(before_.dependences);
}

void IterationsView::show_words() {
  if (!now_.iterations) return words_->clear();
  if (now_.iterations->steps.empty())
    return words_->setText(
        tr("The block is never run with these extents: there is nothing to go through."));
  const auto& steps = now_.iterations->steps;
  const auto at = std::min<std::size_t>(static_cast<std::size_t>(step()), steps.size() - 1);
  QStringList iterators, loops, touched;
  for (std::size_t k = 0; k < now_.iterations->axes.size(); ++k) {
    const auto& axis = now_.iterations->axes[k];
    (axis.is_loop ? loops : iterators)
        << QString("%1 = %2").arg(text(axis.name)).arg(steps[at].values[k]);
  }
  for (const locality::Touch& touch : steps[at].touches) {
    const auto& buffer = now_.iterations->buffers[touch.buffer];
    QStringList indices;
    for (const std::int64_t index : locality::indices_of(touch.element, buffer.shape))
      indices << QString::number(index);
    touched << QString("%1 %2[%3]")
                   .arg(touch.stores ? tr("stores") : tr("reads"), text(buffer.name),
                        indices.join(", "));
  }
  for (const locality::Carried& carried : now_.dependences->into(at))
    touched << text(locality::words_of(carried, *now_.iterations));
  words_->setText(tr("%1 of %2%3:  %4\n%5\n%6")
                      .arg(at + 1)
                      .arg(now_.iterations->whole ? QString() : tr("the first "))
                      .arg(steps.size())
                      .arg(iterators.join(", "), loops.join(", "), touched.join(", ")));
  words_->setToolTip(words_->text().toHtmlEscaped());
}

}  // namespace loopglass::views
