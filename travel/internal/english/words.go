package english

import "strings"

// All words and phrases here are folded: lower case, without accents, apostrophes and possessives.

var (
	startOverPhrases = []string{
		"start over", "start again", "start afresh", "start fresh", "start anew", "start from scratch", "starting over",
		"from scratch", "begin again", "begin anew", "new trip", "another trip", "different trip", "fresh trip",
		"new plan",
		"new journey", "new itinerary", "reset", "restart", "clear everything", "clear the plan", "forget everything",
		"scrap everything", "scrap it", "scrap that", "from the beginning",
	}
	greetingPhrases = []string{
		"hello", "hi", "hey", "hiya", "howdy", "greetings", "hallo", "hola", "bonjour", "ciao",
		"good morning", "good afternoon", "good evening", "good day",
	}
	abilityPhrases = []string{
		"can you do", "what do you do", "who are you", "what are you", "about yourself", "about you", "how do you work",
		"how does this work", "how does it work", "what is this", "can you help", "which cities", "what cities",
		"which destinations", "what destinations", "which places", "where can you", "where can i go",
		"where can i travel",
	}
	planWords = []string{
		"plan", "planning", "trip", "trips", "travel", "travelling", "traveling", "book", "booking", "vacation",
		"holiday",
		"holidays", "itinerary", "journey", "getaway", "tour", "weekend", "going to",
	}
	changeWords = []string{
		"other", "others", "another", "different", "change", "changed", "switch", "swap", "replace", "instead",
		"id rather",
		"would rather", "rather have", "rather take", "cheaper", "something else", "somewhere else", "second thoughts",
		"dont like", "dont want that", "dont want this", "dont want the",
	}
	wishPhrases   = []string{"help me", "want", "id like", "lets", "please", "plan a", "plan my"}
	choosePhrases = []string{"take", "choose", "pick", "prefer", "go with", "id like the", "i want the", "book",
		"can i have", "give me"}

	askingWords = []string{
		"tell", "know", "learn", "hear", "info", "information", "everything", "read", "describe", "talk", "more",
		"facts", "what is",
		"explain", "ask", "curious", "something", "question",
	}
	aboutPhrases = []string{
		"about", "tell me", "tell us", "describe", "info on", "information on", "what is", "what to do", "what to see",
		"what to eat", "where to eat", "things to do", "things to see", "best time", "worth visiting", "introduce",
		"explain", "overview", "guide to", "facts", "know", "learn",
	}
	musingPhrases = []string{"what about", "how about", "thinking about", "dreaming about", "thinking of",
		"dreaming of"}
	herePhrases = []string{
		"about it", "about there", "about the city", "about this city", "about that city", "about my destination",
		"about the destination", "about the place", "about that place", "about this place",
	}
	residing = []string{
		"im", "i am", "were", "we are", "live", "lives", "living", "based", "starting", "start", "located", "currently",
		"home is", "departing", "departure",
	}
)

var topicWords = map[Topic][]string{
	Flights: {"flight", "flights", "fly", "flying", "airline", "airlines", "plane", "planes", "plane ticket", "airfare",
		"air ticket"},
	Hotels: {
		"hotel", "hotels", "accommodation", "accommodations", "hostel", "hostels", "room", "rooms", "place to stay",
		"places to stay", "where to stay", "somewhere to stay", "place to sleep", "lodging",
	},
	Experiences: {
		"restaurant", "restaurants", "activity", "activities", "experience", "experiences", "things to do",
		"things to see",
		"what to do", "what to see", "what to eat", "where to eat", "eat", "food", "sightseeing", "attractions",
		"museum",
		"museums", "sights", "dinner", "lunch",
	},
}

var (
	questionWords = set("what how where when why is are does do which who should")
	placeCues     = set("to about in from visit visiting into explore exploring around near towards")
	placeHeads    = set(`trip trips flight flights fly flying travel travelling traveling holiday vacation weekend
		getaway
		ticket tickets journey hotel hotels everything tour me more go`)
	afterPlace = set("for in from with next on and this please at by during around over tomorrow today via or now " +
		"asap")
	particles  = set("de la le les del da do dos du des di der den of upon am sur el al san santa st")
	nameStarts = set("new north south east west long grand fort port lake mount")
	fillers    = set("the of city downtown central old beautiful sunny lovely amazing wonderful gorgeous great " +
		"historic visit visiting see")
	originLabels = set("from leaving departing origin departure start out starting")
	toward       = set("to into towards toward visit visiting explore exploring destination about see reach")
	excluding    = set("not than instead without skip avoid except")
	aboutWords   = set("about describe on")
	abbreviated  = set("st mt ft sta dr")
)

// ordinary words never identify a place, even capitalised, or a hotel.
var ordinary = set(`a about above abroad again air airport all alone also always am an and another any anybody anyone
	anything anywhere are around as at away back be because been before begin best better between big book both but
	buy by can celebrate change cheap check choose come could day days december did do does done each early eat either
	else enjoy enough even ever every everybody everyone everything everywhere explore family far fast few find first
	fly for forget friend friends from fun further gain general get getting give go going good great group had half
	happy has have he hello help her here hers him his home honeymoon hotel hotels hour hours house how i id if ill im
	in inside into is it its itself ive join just keep kids know last late later learn least leave less let life like
	list little live long look lot love luxury make many maybe me meet mine minute mom month months more morning most
	move mr mrs much mum must my myself near need never new next nice night nights no nobody none nor not nothing now
	number of off ok okay old on once one ones only or order other others our ours out over own park part party pay
	people person place places plan plans please possible price prices put quick rather read really relax remember
	rest return right room s said same save say school see sea self several she should show sin since sleep so some
	somebody someone something sometime sometimes somewhere soon spend start stay still stop street style such summer
	sure take talk tell ten than thank thanks that the their them then there these they thing things think this those
	through time to today together tomorrow tonight too town trip trips try two under until up us use vacation very
	visit wait walk want warm was way we week weekend weeks well were what when where which while who whole whom whose
	why will winter with within without work world would write year years yes yesterday yet you young your yours
	yourself yourselves january february march april may june july august september october november jan feb mar apr
	jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat
	sun spring autumn fall season christmas easter thanksgiving halloween hanukkah ramadan eid carnival nye eve beach
	beaches seaside coast mountain mountains lake river countryside city cities country countries village island
	nature sun snow skiing ski swim swimming surf hiking hike camping dive diving cruise sail sailing shopping shop
	flight flights airline airlines plane planes ticket tickets accommodation restaurant restaurants food activities
	activity experience experiences museum museums attraction attractions sightseeing itinerary destination origin
	budget money cost costs dollars euros pounds weather history culture nightlife art music english bed business
	class economy premium conference wedding birthday anniversary meeting meetings event concert match gig grand
	palace bank story wife husband partner son daughter children child parents mother father brother sister dad boss
	team colleague colleagues recommend recommended recommendation recommendations options option choice different
	cheaper cheapest instead second third three four five six seven eight nine advance addition case fact particular
	general mind order short total peace comfort ocean view sweet gorgeous circus loft edition collection shelter arts
	mount south church hell heaven jail court breakfast lunch dinner bar bars class escape unwind recharge attend
	watch catch surprise impress discover experience study teach volunteer retire travel travelling traveling planning
	booking ai agent agents app chat state api`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
