// Package main serves notes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	str "strings"

	"example.com/notes/internal/store"
	"github.com/go-resty/resty/v2"
	_ "github.com/mattn/go-sqlite3"
	"gopkg.in/yaml.v3"
)

const Base = "https://notes.example" + "/api"

var (
	kinds  = []string{"a", "b"}
	byName = map[string]int{"one": 1, `two`: 2}
	x, y   = 1, "t\tw\x6f\u00e9"
)

type Note struct {
	Title string `json:"title"`
	next  *Note
}

type Server struct {
	client *http.Client
	notes  []Note
}

func NewServer(c *http.Client) *Server {
	return &Server{client: c, notes: nil}
}

func (s *Server) Get(ctx context.Context, name string, rest ...string) (*Note, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s/n/%s?q=%d%%", Base, name, 4), nil)
	if err != nil {
		return nil, fmt.Errorf("get %q: %w", name, err)
	}
	res, err := s.client.Do(req)
	if err != nil || res.StatusCode != 200 {
		return nil, err
	}
	defer res.Body.Close()
	var n Note
	if err := json.NewDecoder(res.Body).Decode(&n); err != nil {
		return nil, err
	}
	switch v := any(n).(type) {
	case Note:
		s.notes = append(s.notes, v)
	default:
		n.Title += "!"
	}
	for i, one := range s.notes[1:] {
		s.notes[i].Title = one.Title
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case more := <-make(chan int):
		_ = more
	}
	return &n, nil
}

func run(words ...string) ([]byte, error) {
	cmd := exec.CommandContext(context.Background(), "git", "log", "-n", words[0])
	cmd.Dir = "/tmp"
	out := make(chan []byte, 1)
	go func() {
		text, _ := cmd.Output()
		out <- text
	}()
	return <-out, nil
}

func main() {
	r := resty.New().R().SetBody(map[string]any{"k": Base})
	r.Post(Base)
	store.Save(str.ToUpper(kinds[0]))
	yaml.Unmarshal([]byte("a: b"), &byName)
	NewServer(&http.Client{Timeout: 3}).Get(context.TODO(), "x")
	if _, err := run("3"); err != nil {
		panic(err)
	}
}
