package operations

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"go.yaml.in/yaml/v4"
)

var (
	grafana   = filepath.Join(root, "deploy", "grafana")
	dashboard = filepath.Join(grafana, "dashboards", "agui-gateway.json")
)

// A board is as much of Grafana's dashboard as its promises are about.
type board struct {
	UID        string  `json:"uid"`
	Panels     []panel `json:"panels"`
	Templating struct {
		List []struct {
			Name       string `json:"name"`
			Type       string `json:"type"`
			Definition string `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
	Annotations struct {
		List []struct {
			Expr string `json:"expr"`
		} `json:"list"`
	} `json:"annotations"`
}

type panel struct {
	ID          int                      `json:"id"`
	Type        string                   `json:"type"`
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	Datasource  source                   `json:"datasource"`
	Grid        struct{ X, Y, W, H int } `json:"gridPos"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
	Targets []struct {
		Expr       string `json:"expr"`
		RefID      string `json:"refId"`
		Legend     string `json:"legendFormat"`
		Datasource source `json:"datasource"`
	} `json:"targets"`
}

type source struct{ Type, UID string }

func readBoard(t *testing.T) (b board) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, dashboard), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTheDashboardIsWhole wants of each panel what Grafana needs to draw it and a person to understand it.
func TestTheDashboardIsWhole(t *testing.T) {
	t.Parallel()
	b := readBoard(t)
	variables := []string{"__rate_interval"}
	for _, v := range b.Templating.List {
		variables = append(variables, v.Name)
	}
	for _, want := range []string{"datasource", "job", "agent", "instance"} {
		if !slices.Contains(variables, want) {
			t.Errorf("there is no variable %s", want)
		}
	}
	ids, cells := map[int]bool{}, map[[2]int]string{}
	rows := 0
	for _, p := range b.Panels {
		if ids[p.ID] || p.ID == 0 {
			t.Errorf("%s has the id %d, as another", p.Title, p.ID)
		}
		ids[p.ID] = true
		for x := p.Grid.X; x < p.Grid.X+p.Grid.W; x++ {
			for y := p.Grid.Y; y < p.Grid.Y+p.Grid.H; y++ {
				if other := cells[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%s lies on %q, or beyond the 24 columns", p.Title, other)
				}
				cells[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			rows++
			continue
		}
		for _, problem := range p.problems(variables) {
			t.Errorf("%s: %s", p.Title, problem)
		}
	}
	if rows < 8 || len(ids) < 40 {
		t.Errorf("%d panels in %d rows", len(ids), rows)
	}
}

var variable = regexp.MustCompile(`\$(\w+)`)

// problems are sentences about what the panel lacks.
func (p panel) problems(variables []string) (list []string) {
	if p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
		list = append(list, "it has no description, no unit or no query")
	}
	from := source{"prometheus", "${datasource}"}
	if p.Datasource != from {
		list = append(list, fmt.Sprintf("it asks %v", p.Datasource))
	}
	refs := map[string]bool{}
	for _, target := range p.Targets {
		if refs[target.RefID] || target.Datasource != from {
			list = append(list, fmt.Sprintf("query %s is there twice, or asks %v", target.RefID, target.Datasource))
		}
		refs[target.RefID] = true
		if p.Type == "timeseries" && target.Legend == "" {
			list = append(list, "a query has no legend")
		}
		for _, used := range variable.FindAllStringSubmatch(target.Expr, -1) {
			if !slices.Contains(variables, used[1]) {
				list = append(list, "it has the variable "+used[1]+", which is none")
			}
		}
	}
	return list
}

// TestGrafanaFindsTheDashboard holds what Grafana is given at its start to what the dashboard and the container have.
func TestGrafanaFindsTheDashboard(t *testing.T) {
	t.Parallel()
	var sources struct {
		Datasources []struct{ Name, UID, Type, URL string }
	}
	var providers struct {
		Providers []struct {
			Name, Type string
			Options    struct{ Path string }
		}
	}
	for path, into := range map[string]any{"datasources/prometheus.yaml": &sources, "dashboards/agui-gateway.yaml": &providers} {
		if err := yaml.Unmarshal(readFile(t, grafana, "provisioning", path), into); err != nil {
			t.Fatal(err)
		}
	}
	if len(sources.Datasources) != 1 || sources.Datasources[0].Type != "prometheus" || sources.Datasources[0].URL != "http://prometheus:9090" {
		t.Errorf("data sources are %v", sources.Datasources)
	}
	if len(providers.Providers) != 1 || providers.Providers[0].Type != "file" || providers.Providers[0].Options.Path == "" {
		t.Errorf("providers are %v", providers.Providers)
	}
	if b := readBoard(t); b.UID != "agui-gateway" {
		t.Errorf("the uid is %q", b.UID)
	}
}
