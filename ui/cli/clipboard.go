package cli

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"midwire/ui"
)

// clipboard is how a text gets through tmux or screen, which keep from the terminal what asks
// it to copy (OSC 52): tmux unless its set-clipboard is on, screen always. It is nil where the
// terminal is asked directly.
func (a *app) clipboard() ui.Clipboard {
	switch {
	case a.Getenv("TMUX") != "":
		return copyByTmux
	case a.Getenv("STY") != "":
		return copyThroughScreen
	}
	return nil
}

const tmuxPatience = 2 * time.Second

// copyByTmux has tmux take the text and give it to the terminal, as it does with what its own
// copy mode copies. Versions before 3.2 only take it.
func copyByTmux(text string) (print, to string, err error) {
	if err = loadBuffer(text, "-w"); err == nil {
		return "", "tmux's buffer and by tmux to the terminal's clipboard", nil
	}
	if loadBuffer(text) == nil {
		return "", "tmux's buffer only; prefix ] pastes it", nil
	}
	return "", "", err
}

func loadBuffer(text string, flags ...string) error {
	ctx, stop := context.WithTimeout(context.Background(), tmuxPatience)
	defer stop()
	cmd := exec.CommandContext(ctx, "tmux", append(append([]string{"load-buffer"}, flags...), "-")...)
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(text), tmuxPatience
	said, err := cmd.CombinedOutput()
	if err != nil {
		return errors.Join(errors.New("tmux load-buffer: "+strings.TrimSpace(string(said))), err)
	}
	return nil
}

// screenString is how long a text may be that screen passes on, in bytes.
const screenString = 512

func copyThroughScreen(text string) (print, to string, err error) {
	return ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), screenString), "the terminal's clipboard, through screen", nil
}
