"""The words by which the name of a team is told from the name of a person: tables, no rules.

Words are folded (`folding.fold`: lower case, no accents) unless a table says otherwise. To know one
more team word, bot or particle, add it here. A word belongs to TEAM_WORDS only if nobody is called so;
words that are family names too (Bank, Group) belong to MAYBE_TEAM_WORDS.
"""

from __future__ import annotations

import re

TEAM_WORDS = frozenset(
    # English: those who do the work
    "team teams subteam taskforce community communities committee committees subcommittee contributors"
    " developers devs maintainers authors collaborators committers organizers organisers programmers"
    " engineers"
    " researchers scientists hackers volunteers members users staff students alumni participants translators"
    # English: bodies
    " collaboration collaborations consortium consortia foundation foundations association"
    " associations society"
    " institute institutes institution institutions university universities polytechnic faculty department"
    " departments laboratory laboratories observatory facility directorate ministry agency authority"
    " commission"
    " corporation incorporated enterprises holdings ventures organization organisation organizations project"
    " projects programme initiative alliance federation confederation coalition cooperative collective"
    " secretariat workgroup center centre centers centres academy hospital clinic library museum technologies"
    " systems solutions networks industries services consultants consulting"
    # French
    " equipe universite institut laboratoire societe groupe ministere departement contributeurs developpeurs"
    " auteurs collectif communaute ecole faculte commissariat"
    # German
    " universitat hochschule fachhochschule verein gesellschaft stiftung arbeitsgruppe arbeitsgemeinschaft"
    " arbeitskreis forschungszentrum forschungsgruppe lehrstuhl fakultat ministerium bundesamt bundesanstalt"
    " landesamt zentrum entwickler mitwirkende autoren akademie genossenschaft projektteam"
    # Spanish and Portuguese
    " universidad universidade instituto equipo equipa laboratorio grupo fundacion fundacao asociacion"
    " associacao"
    " sociedad sociedade ministerio departamento facultad faculdade escuela comunidad comunidade"
    " contribuidores"
    " desarrolladores desenvolvedores autores colaboradores"
    # Italian, Dutch, the North
    " universita istituto gruppo fondazione associazione dipartimento consorzio sviluppatori politecnico"
    " universiteit stichting vereniging hogeschool ontwikkelaars bijdragers"
    " universitet universitetet hogskolan institutet institutt stiftelsen foreningen yliopisto"
    # Polish, Czech, Croatian, Turkish, Hungarian, Russian, Ukrainian
    " uniwersytet instytut politechnika fundacja stowarzyszenie univerzita univerzitet fakulta"
    " universitesi enstitusu vakfi dernegi egyetem intezet"
    " университет институт лаборатория команда разработчики фонд общество академия університет"
    " інститут".split()
)
"""Nobody is called so: one of them makes a team of the whole."""

MAYBE_TEAM_WORDS = frozenset(
    "group groups lab labs bank company companies office offices school college church house council bureau"
    " branch service software technology research science sciences studio studios press media network"
    " club union"
    " unit division board trust partners brothers sons hub crew people friends workshop squad guild core org"
    " editors limited centro gruppe werk werke amt stadt groep bedrijf grup".split()
)
"""Team words that are family names as well: they need company, or the absence of a given name."""

ORGANISATION_WORDS = frozenset(
    "the open free national international european african asian american federal royal global world united"
    " north northern south southern east eastern west western central public general applied advanced digital"
    " data cloud deep machine learning artificial intelligence ai ml brain mind vision robotics quantum"
    " computing computational computer scientific engineering development developer tool tools code coding"
    " source web internet online mobile game games music energy health medical climate earth ocean"
    " space weather"
    " mapping survey statistics measures weights standards policy security safety education training economic"
    " social working special interest steering technical support reading test anonymous unknown acme street"
    " river lake mountain city state county republic night dark green blue black white golden silver harbour"
    " harbor star sky light fire stone bridge google microsoft apple amazon meta facebook openai"
    " deepmind nvidia intel ibm oracle github gitlab mozilla hugging face red hat stability anthropic alibaba"
    " tencent baidu huawei samsung siemens bosch sony adobe netflix python"
    " deutsche deutscher deutsches credit banque banco banca compagnie".split()
)
"""Ordinary words in the names of organisations, beside the team words, and the best known organisations."""

ANONYMOUS_WORDS = frozenset("anonymous anon unknown unnamed anonyme anonym anonimo anonymus".split())
ROLE_WORDS = frozenset("developer contributor author maintainer user programmer coder".split())

OTHERS = frozenset(
    (
        "et al|et alii|others|and others|other|more|and more|among others|und andere|u a|y otros|e outros"
        "|et autres"
        "|many others|and many others|and many more|and colleagues|etc"
    ).split("|")
)
"""Entries that stand for people who are not named."""

TEAM_PARTS = re.compile(
    "大学|大學|研究所|研究院|研究室|实验室|實驗室|公司|团队|團隊|委员会|委員会|協会|协会|学会|協會|學會|株式会社|チーム|小组"
    "|개발자|대학교|연구소|연구원|주식회사|개발팀"
)
"""Team words of scripts that put no blanks between words."""

LEGAL_FORM = re.compile(
    r"(?:^|[\s,])(?:g?gmbh|mbh|inc|ltd|llc|llp|plc|pty|corp|kgaa|ohg|sarl|oyj|& co|and co)\.?$", re.IGNORECASE
)
SHORT_LEGAL_FORM = re.compile(
    r"[\s,](?:AG|SA|AB|AS|SE|KG|BV|NV|SL|SpA|SAS|Srl|Oy|ApS|A/S|Co\.|[Ee]\.\s?V\.|B\.\s?V\.|N\.\s?V\."
    r"|S\.\s?A\.|S\.\s?L\."
    r"|S\.r\.l\.|S\.p\.A\.|S\.A\.S\.|a\.\s?s\.|s\.r\.o\.|d\.o\.o\.|Sp\. z o\.o\.|K\.K\.)$"
)
"""They may be initials behind a name as well, as in `Nair A.S.`."""

PARTICLES = frozenset(
    "von van der den de da do dos du del della delle dello degli dei di la le lo las los ten ter te"
    " tot thoe zu"
    " zum zur vom am op 't ’t 's ’s aan bij onder uit uijt over voor auf aus af av al el ul as ad an ar ash"
    " bin ben ibn bint abu abd und en in d' d’ das".split()
)
"""Only in lower case, as written: `Van`, `Al` and `Das` are names."""

SUFFIX = re.compile(
    r"(?:\s*,\s*|(?<=\S)\s+)("
    r"[Jj][Rr]\b\.?|[Ss][Rr]\b\.?|[JS]nr\b\.?|II|III|IV|VI|VII|VIII|2nd|3rd|4th"
    r"|Ph\.?\s?D\.?|PhD|PHD|M\.?D\.|MD|M\.?Sc\.?|Esq\.?)$"
)
HONORIFIC = re.compile(
    r"^(?:(?:Prof|Dr|Mr|Mrs|Ms|Dipl|Ing|Dr-Ing)\.[\s-]*|(?:Prof|Professor|Dr|Mr|Mrs|Ms)\s+)+(?=\w)"
)

BOT_NAMES = frozenset(
    (
        "dependabot|dependabot preview|github actions|github actions bot|actions user|renovate|renovatebot"
        "|greenkeeper|pre commit ci|pre commit|codecov|codecov io|coveralls|snyk|mergify|allcontributors"
        "|all contributors|imgbot|semantic release|web flow|github copilot|copilot|copilot swe agent|chatgpt"
        "|openai codex|codex|claude|claude code|anthropic claude|gemini cli|google gemini|cursor agent"
        "|cursoragent|devin ai|lgtm com|lgtm|readthedocs|travis ci|circleci|jenkins|gitter badger|deepsource"
        "|whitesource|sourcery ai|coderabbit|coderabbitai|weblate|transifex|crowdin|regro cf autotick"
        "|meeseeksmachine|google labs jules"
    ).split("|")
)
"""Programs that commit and sign, by the whole name; a person called Claude has a family name or an iD."""

BOT_MARK = re.compile(r"\[bot\]$", re.IGNORECASE)
BOT_ENDING = re.compile(r"[-_]bot$|^bot[-_]|(?<=[a-z])Bot$|\s[Bb]ot$")
"""Only where the name stands in one field: `Jan Bot` and `Marie Le-Bot` are people."""

PLACEHOLDERS = frozenset(
    (
        "your name|first name|firstname|last name|lastname|given name|given names|family name|family names"
        "|surname"
        "|your first name|your last name|your given names|your family names|your given name|your family name"
        "|your surname|todo|tbd|tba|fixme|insert name|insert name here|name here|your name here"
    ).split("|")
)
"""Values that a template left."""

NOTHING_WORDS = frozenset("null none nil nan undefined".split()) | {"n a"}
"""Read as nothing only where no other field of the name has anything: people are called Null."""

GIVEN_NAMES = frozenset(
    """
    aaron abdul abdullah abhishek abigail ada adam adele aditya adrian agnieszka ahmad ahmed aida ailsa
    aisha aitor ajay akihiro akira akshay alain alan albert alberto alejandro aleksander aleksandra alena
    alessandra alessandro alessia alex alexander alexandra alexandre alexandros alexei alexey alexia
    alexis alfred ali alice alicia alina alisa alison alistair aliya allan allen alma alon alvaro alvin
    amal amanda amber amir amit amy ana anand anastasia anastasiia anatoly anders andras andre andrea
    andreas andrei andrej andres andrew andrey andrii andy aneta angela anika anil anita anja ankit ankur
    ann anna anne anneke annette annie annika anouk ansgar anthony antoine anton antonia antonin antonio
    antti anupam ari ariane ariel arjun arlene armando armin arnaud arne arno artem arthur artur arturo
    arun ashish ashwin astrid atsushi audrey augusto axel aylin ayse bao baptiste barbara barry bart
    bartosz bas basil beata beate beatrice beatriz ben benedict benedikt benito benjamin benoit bernadette
    bernard bernd bernhard bert beth bettina bianca bilal bill bing birgitta bjarne bjorn blanca bob
    bogdan bogdana bohdan bonnie boris bradley brandon brendan brett brian brigitta brigitte brit bronwyn
    bruce bruno bryan burak camila camilla camille candice carl carla carlo carlos carmen carol caroline
    carolyn carsten catarina catherine cecile cecilia cedric cemal cesar chandra changsheng chao charles
    charlie charlotte chen cheng chia chiara chien chih chin ching chong chris christa christel christiaan
    christian christina christine christoph christophe christopher chu chuan chun chung claire clara
    clarisse claude claudia claudio clement colette colin cong conor constantin constanze corinna cornelia
    cornelius craig cristian cristina cynthia cyril dagmar daisuke damien dan dana daniel daniela daniele
    danielle danilo daria dario darius dave david davide dawid dean deepak delphine demetrios denis denise
    deniz dennis denys derek detlef diana diane diego dieter dietmar dilip dimitrios dimitris dina dinah
    dipti dirk dmitry dolores dominic dominik dominique don donald dong dorota dorothea doug douglas
    duarte duc eamonn ebru edda edith edmund eduard eduardo edward edwin edwina efrain egor ehsan eileen
    ekaterina ekin elaine elena eli eliane elif elisa elisabeth elise eliza elizabeth elke ellen elsa emil
    emile emilio emily emma emmanuel emre enrico enrique enzo eric erich erik erika erin esra estelle
    ethan etienne eugene eun eva evan evelyn evgeny ewa fabian fabiana fabio fabrice fabrizio fan fang
    farah farid fatma federico fei felicia felix feng fernanda fernando ferran filip fiona floor florian
    floris francesca francesco francine francis francisco franck francois frank franz franziska fred
    frederic frederick frederik fritz gabor gabriel gabriela gael gaelle gaetan galina gang gary gaurav
    gavin geert geoffrey georg george georgios gerald gerard gerda gerhard gianluca gilberto gilles
    giorgia giorgio giovanna giovanni girish gisela giulia giuseppe gizem glenn gordon graham greg
    gregoire gregor gregory greta gretchen guadalupe gudrun guido guillaume guillem guillermo gunter
    gustav gustavo guy gwen hai hajime hakan hamza han hang hannah hanne hannes hanno hans hao harald
    harold harriet harry harsh hasan hassan heather hector hedwig hee heidi heike heiko heinrich helen
    helena helene helga helge helmut hendrik henri henrietta henrik henry herve hideki hilary hilde
    hiroaki hiroki hiroshi hiroyuki hitoshi holger hong horst hossein howard hsiang hsiao hsin hua huan
    hugh hugo hui hung ian iben ibrahim igor ike ilaria ilya imke imran ina ines ingeborg ingmar ingrid
    ioannis irene irina iris iryna isaac isabel isabella isabelle isla istvan ivan ivana ivar jaap jacek
    jack jackson jacob jacqueline jacques jae jaime jakob jakub james jamie jan jana jane janet jared
    jaroslav jasmin jasmine jason javier jay jean jeff jeffrey jelena jelle jen jennifer jenny jens jeong
    jeremy jerome jerry jesper jesse jessica jesus jhih jia jian jiang jie jill jim jimmy jin jing jiri
    jitka joachim joan joanna joanne joao jochen joe joel joep johan johann johanna johannes john jolanda
    jon jonas jonathan jong jordi jorg jorge joris jose josef josefine josep joseph josephine joshua joyce
    juan juana judith jui julia julian juliane julie julien julio julius jun jung jurgen juri justin
    justus jutta kai kamil karen karim karin karina karine karl karla karolina karthik katarzyna kate
    katerina kateryna katharina katharine katherine kathleen kathrin kathryn kathy katrien katrin kazuki
    kazuya kei keith kelly ken kenji kenneth kentaro kerstin kevin khadija khaled kim kiran kirill kiyoshi
    klara klaus kohei koichi koji konstantin konstantinos kris krishna kristina krzysztof kun kurt kyle
    lachlan ladislav laila larry lars lasse laszlo laura lauren laurence laurent laurie lawrence lei leila
    lena lenka lennart leo leon leonardo leonid leopold leslie leticia liam liang lidia lieke lili lilian
    lin linda linus lisa ljiljana loic loredana lorena lorenzo lothar lotte louis louisa luca lucas lucia
    luciano lucie ludwig luigi luis luiz luka lukas lukasz luke lydie maarten maciej mads magda magdalena
    magnus mahesh mahmoud mai makoto malgorzata manfred manoj manuel manuela mara marc marcel marcelina
    marcelo marcia marcin marco marcos marcus marek margaret margot margriet mari maria marian mariana
    marianne marie marije marijn marina mario marion marius mark markus marlene marlies marta martha
    martin martine martyna mary maryam masahiro masaki masaru masashi masato masayuki massimo matej
    mathias mathieu mats matt matteo matthew matthias matthieu matthijs matti maxim maxime maximilian
    mayank mehdi mei melanie melissa meng mercedes merel meret michael michaela michal michel michele
    michelle mieke miguel mihai mike mikel mikhail mila milos min ming minh minna miriam mirjam miroslav
    mohamed mohammad mohammed mohan mohsen moira monica monika monique morgane moritz morten mounir
    muhammad mustapha myriam nadezhda nadia nadine naim nancy naoki naomi natalia natalie natasha nathalie
    nathan neda neha neil ngoc nguyen nicholas nick nicola nicolai nicolas nicole nicoletta niels nienke
    nigel nikhil nikita niklas nikolaos nikolaus nikos nils nina ning nishant noah nobuyuki noel noor nora
    noriko norma norman nour nuno nuria oana octavio odile oksana ole oleg oleksandr oleksii olena olga
    oliver olivera olivia olivier omar omer ondrej oren orla oscar oskar ottilie otto pablo paloma pamela
    panagiotis paola paolo pascal pascale patricia patricio patrick paul paula paulo pavel pawel peder
    pedro pei peng peter petr petra petros phil philip philipp philippe phillip pia pien pierre piet
    pieter ping piotr pooja poonam pradeep pranav prashant priya priyanka qian qiang qing quirin quoc
    rachel radek radka rafael rafal rahul raimund raj ralf ralph ramon ramona randy rania raphael raquel
    rasmus raul ravi ray raymond rebecca reinhard reinhold remi ren rene rens ricarda ricardo richard
    rishabh rita roald rob robert roberto robin rocco rodrigo roel roger rohit roland rolf romain roman
    ron ronald ronan rong rosa rosalind rosemary ross roxana roy ruben rudolf rui rutger ruth ryan ryo
    ryosuke sabine sabrina sadia sai saif salma sam sameer samuel sandeep sander sandra sanjay sanne sara
    sarah satoru satoshi saurabh scott sean sebastian sebastien selma serge sergei sergey sergio serkan
    seth seung severin shannon shao sharon sheila sheng shi shih shin shinichi shreya shu shubham shun
    sibylle siddharth siegfried sigrid silke silvia simon simona simone sina siobhan sjoerd slavica soeren
    sofie song sonia sophia sophie soren stanley stefaan stefan stefanie stefano steffen stephan stephane
    stephanie stephen steve steven stig stuart sumit sung sunil susan susana susanne suzanne svein sven
    svenja svetlana sybille syed sylvain sylvie tadashi tai takahiro takashi takayuki takeshi takuya
    tamara tanja tanvi tao tarek tatiana tatsuya tatyana ted teddy teresa terry tess tessa tetsuya thanh
    thea theresa thiago thierry thijs thomas tiago tian tijmen tilman tim timo timon timothy tina ting
    tobias todd tom tomas tomasz tomislav tommi tomohiro tomoko toni tony torben tore toru toshiyuki tova
    travis trevor tristan trung tsung tuan tung tyler tzu ulla ulrich ulrika ulrike umberto ursula ute uwe
    vaclav vaibhav valentin valeria valerie vanessa varun vasile veerle vera veronica veronique victor
    victoria viet vijay vikas vikram viktor vincent viola violeta vishal vitor vivek viviane vladimir
    vojtech volker volodymyr walter wan wanda warren wei wen werner wiebke wieslaw wilfried wilhelm willem
    willemijn william wim wojciech wolfgang wout xavier xian xiang xiao xiaodong xiaojun xin xing xinyu
    xuan yael yan yang yann yannick yannis yao yara yasmin yasmine yasuhiro yen yevhen yin ying yohei
    yolanda yong yoon young ysanne yuan yue yuji yuki yukiko yulia yuliia yun yung yusuke yutaka yves
    yvette zachary zahra zbigniew zdenek zeynep zhao zhe zhen zheng zhi zhiqiang zoe zofia zoltan zsolt
    zuzana
    """.split()
)
"""Frequent given names, in Latin letters: `name: Jiri Borovec` is a person by its first word."""

FAMILY_NAMES = frozenset(
    """
    abe adams adeyemi agarwal aggarwal agrawal ahmad ahmed ahn ali almeida alvarez andersen anderson
    andersson arnold arora bakker banerjee bansal basu becker bhat bhattacharya bianchi bui cai cao castro
    celik chai chan chang chao chatterjee chaudhary chen cheng cheung chi chiang chien chiu cho choi chou
    choudhury christensen chu chuang chung clark clarke collins costa cui dai dang davis demir deng
    devries diaz ding dong du duan dubois durand eriksson esposito evans fang feldman feng fernandez
    ferrari ferreira fischer fisher flores fournier freitas friedman fu fujita gao garcia garg ge geng
    georgiou ghosh girard goldberg gomez goncalves gong gonzalez goodman gordon goyal gu guan guo gupta ha
    han hansen hansson hao hara harrison hashimoto hassan hayes hernandez herrera hoffmann hong horvath
    hossain hou hsiao hsieh hsu hu huang hung hussain hwang ichikawa ionescu ishikawa islam ito itoh
    ivanov ivanova iyer jain jang jansen janssen jensen jha ji jia jiang jimenez jin johansson johnson
    jones joshi jung kang kaplan karlsson kato kaya ke kelly khan kim kimura klein ko kobayashi kovacs
    kowalski krishna kulkarni kumar kuo kwon lai lam lan lange larsen lau lee lefebvre lei leroy leung li
    liang liao lim lin liu lopes lopez luo lv lyu martinez martins mccoy mehta mendes mendoza meng menon
    mensah meyer miao miller mishra mitchell mitra moon moore moreau moreno mori morris mueller mukherjee
    muller murphy murray nagy nair nakamura nguyen nie nielsen nilsson niu novak nowak nunes obrien okafor
    oliveira olsen ono ozturk papadopoulos patel pedersen peng pereira perez peters peterson petrov pham
    phillips pillai pinto popescu qi qian qin qiu qu rahman ramirez rao reddy ren ribeiro roberts robinson
    rodrigues rodriguez romano romero rossi roth roy ruiz russell russo saha saito sakai sanchez sanders
    santos sarkar sasaki sato schafer schmidt schmitt schmitz schneider schroder schroeder schulz schuster
    schwartz schwarz sen seo shah shan shao sharma shen sheng shi shih shimizu shin silk silva simmons
    singh sinha smirnov smirnova smith soares sorensen sousa souza springer srivastava steiner stevens
    stewart su sullivan sung suzuki szabo takahashi takeuchi tan tanaka tang tao teng thompson tian tong
    torres tran tsai tseng tu turner vargas verma virtanen visser vogel vu wagner wang ward watanabe
    watson weber wei weiss wen weng williams wilson wong wright wu xia xiang xiao xie xing xiong xu xue
    yadav yamada yamamoto yamashita yan yang yao ye yeh yen yi yilmaz yin yoon yoshida you yu yuan zeng
    zhang zhao zheng zhong zhou zhu zhuang zou
    """.split()
)
"""Frequent family names that are no ordinary words."""
