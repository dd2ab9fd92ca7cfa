package forward

import (
	"net/url"
	"slices"
	"strings"

	"midwire/intercept"
)

// models are domains of which model traffic is, their subdomains included: no
// metadata and no configuration has their connections opened, and an authority
// that can vouch for others cannot for them. A user can name one of their hosts.
var models = []string{
	"ai-gateway.vercel.sh", "aiplatform.googleapis.com", "ampcode.com", "api-inference.huggingface.co",
	"api.anthropic.com", "api.cerebras.ai", "api.cohere.ai", "api.cohere.com", "api.deepseek.com",
	"api.fireworks.ai", "api.groq.com", "api.kilo.ai", "api.minimax.chat", "api.minimax.io", "api.mistral.ai",
	"api.moonshot.ai", "api.moonshot.cn", "api.openai.com", "api.perplexity.ai", "api.replicate.com",
	"api.sambanova.ai", "api.siliconflow.cn", "api.siliconflow.com", "api.studio.nebius.com", "api.together.ai",
	"api.together.xyz", "api.x.ai", "api.z.ai", "app.warp.dev", "chatgpt.com", "claude.ai",
	"cloudcode-pa.googleapis.com", "codeium.com", "codestral.mistral.ai", "cognitiveservices.azure.com",
	"copilot-proxy.githubusercontent.com", "cursor.sh", "dashscope-intl.aliyuncs.com", "dashscope.aliyuncs.com",
	"gateway.ai.cloudflare.com", "generativelanguage.googleapis.com", "githubcopilot.com",
	"inference.ai.azure.com", "integrate.api.nvidia.com", "models.github.ai", "ollama.com", "open.bigmodel.cn",
	"openai.azure.com", "opencode.ai", "openrouter.ai", "router.huggingface.co", "services.ai.azure.com",
	"volces.com",
}

// modelDomains are the models' domains without those of which a host is named.
func modelDomains(named []string) []string {
	return slices.DeleteFunc(slices.Clone(models), func(domain string) bool {
		return slices.ContainsFunc(named, func(name string) bool { return inDomain(name, domain) })
	})
}

func inDomain(name, domain string) bool { return name == domain || strings.HasSuffix(name, "."+domain) }

// ServesModels reports whether a name is known to be a model's.
func ServesModels(name string) bool {
	name = intercept.HostName(name)
	if strings.HasPrefix(name, "bedrock") && strings.HasSuffix(name, ".amazonaws.com") ||
		strings.HasSuffix(name, "-aiplatform.googleapis.com") {
		return true
	}
	return slices.ContainsFunc(models, func(domain string) bool { return inDomain(name, domain) })
}

// ModelHosts are the hosts to which an environment sends a client for its models.
func ModelHosts(env []string) (hosts []string) {
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		name = strings.ToUpper(name)
		if name == "OLLAMA_HOST" && !strings.Contains(value, "://") {
			value = "http://" + value
		}
		if strings.Contains(name, "AUTH") || strings.Contains(name, "TOKEN") {
			continue // of a login
		}
		isModel := name == "OLLAMA_HOST" || slices.ContainsFunc([]string{"_BASE_URL", "_API_BASE", "_API_URL", "_ENDPOINT"},
			func(end string) bool { return strings.HasSuffix(name, end) })
		if u, err := url.Parse(value); isModel && err == nil && u.Hostname() != "" {
			hosts = append(hosts, intercept.HostName(u.Hostname()))
		}
	}
	return hosts
}
