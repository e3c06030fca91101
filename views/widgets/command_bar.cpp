#include "views/widgets/command_bar.h"
#include "views/widgets/text_size.h"

#include "views/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

namespace loopglass::views {

CommandBar::CommandBar(QWidget* parent) : QWidget(parent), text_(new QLineEdit) {
  text_->setObjectName("command");
  text_->setReadOnly(true);
  text_->setFrame(false);
  use_code_font(text_);
  text_->setToolTip(tr("The command that does the same in a terminal"));
  auto* copy = new QToolButton;
  copy->setText(tr("Copy"));
  copy->setToolTip(tr("Copy this command"));
  copy->setAutoRaise(true);
  connect(copy, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(command()); });
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(6, 3, 6, 3);
  row->setSpacing(2);
  row->addWidget(text_, 1);
  row->addWidget(copy);
  set_command({});
}

void CommandBar::set_command(const QString& command) {
  setVisible(!command.isEmpty());
  if (command == text_->text()) return;
  text_->setText(command);
  text_->setCursorPosition(0);
}

QString CommandBar::command() const { return text_->text(); }

}  // namespace loopglass::views
